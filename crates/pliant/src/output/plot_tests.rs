use super::*;

fn series(name: &str, points: Vec<[f64; 2]>) -> Series {
    Series { name: name.into(), points, dashed: false }
}

fn curve(rate: f64) -> Vec<[f64; 2]> {
    (0..200).map(|i| [f64::from(i), (-rate * f64::from(i)).exp()]).collect()
}

/// Elements open and close in pairs, attributes are quoted, text holds no markup.
fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "stray > in {}", &rest[..start]);
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap().to_string());
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    let broken = svg.lines().find(|line| line.contains("NaN") || line.contains("inf"));
    assert_eq!(broken, None);
}

#[test]
fn an_svg_is_well_formed_and_holds_every_series_and_its_name() {
    let chart = Chart {
        title: "error < 1 & \"falling\"".into(),
        x_label: "iteration".into(),
        y_label: "relative error".into(),
        y_log: true,
        series: vec![series("Jacobi", curve(0.05)), Series { dashed: true, ..series("Newton & co", curve(0.9)) }],
        ..Chart::default()
    };
    let svg = chart.to_svg();
    assert_well_formed(&svg);
    assert!(svg.contains(">Jacobi<") && svg.contains("Newton &amp; co") && svg.contains("error &lt; 1"));
    assert!(svg.contains("#0072b2") && svg.contains("#d55e00") && svg.contains("stroke-dasharray"));
    assert!(svg.contains(">10<tspan"), "decades are labelled as powers");
    let image = chart.to_image(900, 560);
    for i in 0..2 {
        assert!(image.pixels.iter().filter(|p| **p == chart_colour(i)).count() > 50, "series {i}");
    }
}

#[test]
fn points_that_cannot_be_drawn_leave_gaps_and_never_reach_the_page() {
    let nasty = vec![[1.0, 1.0], [2.0, 0.5], [3.0, f64::NAN], [4.0, 0.0], [5.0, -1.0], [6.0, 0.1], [7.0, 0.05]];
    let mut infinite = nasty.clone();
    infinite.push([f64::INFINITY, 1.0]);
    let chart = Chart { y_log: true, x_log: true, series: vec![series("a", infinite)], ..Chart::default() };
    let svg = chart.to_svg();
    assert_well_formed(&svg);
    let curves = svg.lines().filter(|l| l.contains("#0072b2")).count();
    assert_eq!(curves, 3, "two runs and the legend");
}

#[test]
fn empty_charts_single_points_and_extreme_ranges_can_be_drawn() {
    let sets: Vec<Vec<[f64; 2]>> = vec![
        vec![],
        vec![[3.0, 7.0]],
        vec![[0.0, 0.0]],
        vec![[1.0, 5.0], [2.0, 5.0]],
        vec![[1.0, 1e-300], [1e9, 1e300]],
        vec![[-f64::MAX, -f64::MAX], [f64::MAX, f64::MAX]],
        vec![[1e15, 1.0], [1e15 + 1.0, 1.0 + 1e-15]],
    ];
    for points in sets {
        for (x_log, y_log) in [(false, false), (true, true), (false, true)] {
            let list = vec![series("", vec![]), series("points", points.clone())];
            let chart = Chart { x_log, y_log, series: list, ..Chart::default() };
            assert_well_formed(&chart.to_svg());
            assert_eq!(chart.to_image(300, 200).pixels.len(), 300 * 200);
        }
    }
    assert_well_formed(&Chart::default().to_svg());
    Chart::default().to_image(1, 1);
    Chart::default().to_image(0, 0);
}

#[test]
fn axes_have_a_readable_number_of_ticks() {
    for (low, high) in [(0.0, 1.0), (-3.0, 17.0), (0.001, 0.0012), (5.0, 5.0), (-1e12, 3e12)] {
        let ticks = Axis::of([low, high].into_iter(), false).ticks;
        assert!((3..=12).contains(&ticks.len()), "{low} to {high}: {}", ticks.len());
    }
    for (low, high) in [(-8.0, 0.0), (0.1, 0.4), (-300.0, 300.0), (2.0, 2.0), (0.9, 1.2)] {
        let ticks = Axis::of([low, high].into_iter(), true).ticks;
        assert!((2..=11).contains(&ticks.len()), "{low} to {high}: {}", ticks.len());
    }
}
