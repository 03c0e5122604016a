//! What people are told about typical mistakes.

use super::*;

#[test]
fn placeholder() {
    let cases = [
        "[[cloth]]\n",
        "pliant = 2\n[[cloth]]\n",
        "pliant = 1\n",
        "pliant = 1\n[[cloth]]\ndensty = 0.2\n",
        "pliant = 1\n[[cloth]]\ncolour = \"red\"\n",
        "pliant = 1\n[[cloths]]\n",
        "pliant = 1\n[[cloth]]\nmaterial = \"cottn\"\n",
        "pliant = 1\n[[cloth]]\nstretch = \"neo-hookean\"\n",
        "pliant = 1\n[[cloth]]\ndensity = -0.2\n",
        "pliant = 1\n[[cloth]]\n\tdensity = nan\n",
        "pliant = 1\n[[cloth]]\npoisson_ratio = 0.5\n",
        "pliant = 1\n[[cloth]]\ndensity = \"1 MPa\"\n",
        "pliant = 1\n[[cloth]]\nresolution = 1\n",
        "pliant = 1\n[[cloth]]\nresolution = [10, 10.0]\n",
        "pliant = 1\n[[cloth]]\nposition = [0, 1]\n",
        "pliant = 1\n[[cloth]]\nscramble = \"yes\"\n",
        "pliant = 1\n[time]\nframe_rate = 0\n[[cloth]]\n",
        "pliant = 1\n[solver]\nframes = 10\n[[cloth]]\n",
        "pliant = 1\n[time]\ngravity = [0, 0, 0]\n[[cloth]]\n",
        "pliant = 1\n[[time]]\n[[cloth]]\n",
        "pliant = 1\n[[cloth]]\nname = \"a\"\n[[solid]]\nname = \"a\"\nshape = \"box\"\n",
        "pliant = 1\n[[cloth]]\nname = \"curtain\"\n[[pin]]\nbody = \"curtian\"\nvertices = 0\n",
        "pliant = 1\n[[cloth]]\n[[cloth]]\n[[pin]]\nvertices = 0\n",
        "pliant = 1\n[[cloth]]\n[[pin]]\n",
        "pliant = 1\n[[cloth]]\n[[pin]]\nvertices = 0\ncorners = \"-x-z\"\n",
        "pliant = 1\n[[cloth]]\n[[pin]]\nvertices = [0, 99999]\n",
        "pliant = 1\n[[solid]]\nshape = \"sphere\"\nsize = 1\n",
        "pliant = 1\n[[solid]]\n",
        "pliant = 1\n[[collider]]\nshape = \"sphere\"\n[[cloth]]\n",
        "pliant = 1\n[[cloth]]\nmesh = \"shirt.obj\"\n",
        "pliant = 1\n[[cloth]]\nmesh = \"Cargo.tml\"\n",
        "pliant = 1\n[[cloth]\ndensity = 1\n",
        "pliant = 1\n[[cloth]]\ndensity = 1\ndensity = 2\n",
        "pliant = 1\n[[cloth]]\ndensity = 1 2\nfoo =\n",
        "pliant = 1\ncloth = 3\n",
        "pliant = 1\n[[cloth]]\nstrain_limit = [1.1, 0.9]\n",
        "pliant = 1\n[[solid]]\nshape = \"sphere\"\nedge = 1e-9\n",
        "pliant = 1\n[[cloth]]\ndensity = \n",
        "",
    ];
    for case in cases {
        println!("-----\n{}", bad(case));
    }
}
