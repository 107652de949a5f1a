// Builds the page as one file: script and style are inline, and the policy names them by their hashes, so that no other
// script or style can run.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const hash = (text) => createHash("sha256").update(text).digest("base64");

// What the page is built from: scripts/page.sh compares it.
export function sourcesHash(root = import.meta.dirname) {
  const files = ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.js"].concat(
    readdirSync(join(root, "src")).sort().map((name) => join("src", name)),
  );
  const all = createHash("sha256");
  for (const file of files) {
    all.update(`${file}\0${readFileSync(join(root, file), "utf8")}\0`);
  }
  return all.digest("hex");
}

function oneFile() {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      let script = "";
      let style = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") {
          script += part.code;
        } else if (name.endsWith(".css")) {
          style += part.source;
        } else {
          continue;
        }
        delete bundle[name];
      }
      script = script.replaceAll("</script", "<\\/script").trim();
      style = style.trim();
      const policy =
        `default-src 'none'; script-src 'sha256-${hash(script)}'; style-src 'sha256-${hash(style)}'; ` +
        "img-src data: blob:; base-uri 'none'; form-action 'none'";
      const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
      page.fileName = "page.html";
      page.source = page.source
        .replace(/\s*<script[^>]*\bsrc=[^>]*><\/script>/g, "")
        .replace(/\s*<link[^>]*\brel="(stylesheet|modulepreload)"[^>]*>/g, "")
        .replace("<!-- policy -->", () => `${meta}\n<meta name="sources" content="${sourcesHash()}">`)
        .replace("<!-- style -->", () => `<style>${style}</style>`)
        .replace("<!-- script -->", () => `<script type="module">${script}</script>`);
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  build: {
    outDir: "built",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 1e9,
  },
  plugins: [oneFile()],
});
