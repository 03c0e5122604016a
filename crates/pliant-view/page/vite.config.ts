import { defineConfig, type Plugin } from "vite";

// The server embeds one file and answers no other address, so scripts and styles go into the page.
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("there is no index.html in the bundle");
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (part === page) continue;
        const tag = new RegExp(`<(script|link)[^>]*(src|href)="[^"]*${name.replaceAll(".", "\\.")}"[^>]*>(</script>)?\\s*`);
        if (!tag.test(html)) throw new Error(`${name} is not named in index.html`);
        html = html.replace(tag, "");
        // As functions: a "$&" in the code must stay what it is.
        if (part.type === "chunk") {
          const code = part.code.replaceAll("</script", "<\\/script");
          html = html.replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
        } else {
          html = html.replace("</head>", () => `<style>${String(part.source)}</style>\n</head>`);
        }
        delete bundle[name];
      }
      if (html.split("PLIANT-RECORDING").length !== 2) throw new Error("PLIANT-RECORDING must be in the page once");
      page.source = html;
    },
  };
}

export default defineConfig({
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 100_000,
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { "/ws": { target: "http://127.0.0.1:8417", ws: true } } },
  plugins: [oneFile()],
});
