# demo: a simulation in a minute. test: everything that must hold. page: that of the viewer. bench: how fast it is. doc: the API reference.

CARGO ?= cargo
SCENE ?= scenes/tablecloth.toml
OUT ?= out/demo

.PHONY: demo page test bench doc cargo

demo: cargo
	@echo "building Pliant (a few minutes the first time) ..."
	@$(CARGO) build --release
	@$(CARGO) run --release --quiet -- run $(SCENE) --out $(OUT)
	@echo
	@echo "The picture is $(OUT)/preview.png, the motion $(OUT)/preview.gif; open $(OUT)/animation.glb in Blender."
	@if [ "$$(uname)" = Darwin ]; then open $(OUT)/preview.gif; \
	elif [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] && command -v xdg-open >/dev/null; then xdg-open $(OUT)/preview.gif; fi

# The page of the viewer. Cargo builds it, too, but for each profile anew.
page:
	@cd crates/pliant-view/page && \
	{ [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --silent; } && \
	npm run --silent build

# Quiet when all is well; the first thing that is wrong is shown in full.
test: cargo
	@scripts/test.sh

bench: cargo
	@$(CARGO) bench -p pliant --bench sweep --bench polar --bench hanging

doc: cargo
	@RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet
	@echo "target/doc/pliant/index.html"

cargo:
	@command -v $(CARGO) >/dev/null || { \
	echo "Pliant needs Rust 1.95 or newer, and 'cargo' is not there."; \
	echo "Get it without root from https://rustup.rs:"; \
	echo "  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"; \
	exit 1; }
