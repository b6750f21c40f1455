import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const out = fileURLToPath(new URL("../src/loremark/features/dashboard/built", import.meta.url));

/** Writes a gzipped copy of every asset, which the server sends as is. */
function gzipAssets(): Plugin {
  return {
    name: "gzip-assets",
    apply: "build",
    closeBundle() {
      const assets = join(out, "assets");
      for (const name of readdirSync(assets)) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        const content = readFileSync(join(assets, name));
        writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), gzipAssets()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8000", "/worker": "http://127.0.0.1:8000" } },
});
