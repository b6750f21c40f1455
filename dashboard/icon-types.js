// The icons' declarations are 7.6 MB, and reading them took a quarter of the type check. This keeps those of the icons
// that we use, each as the package declares it, so an icon that does not exist is still an error.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const all = readFileSync(
  join(folder, "node_modules/@tabler/icons-react/dist/tabler-icons-react.d.ts"),
  "utf8",
);

const used = new Set();
for (const name of readdirSync(join(folder, "src"), { recursive: true })) {
  if (!/\.tsx?$/.test(name)) continue;
  for (const [word] of readFileSync(join(folder, "src", name), "utf8").matchAll(/\bIcon[A-Z0-9]\w*/g))
    used.add(word);
}

const types = all.slice(0, all.indexOf("\n/**\n * Icon"));
const icons = [...all.matchAll(/^declare const (Icon\w+): [^;]+;$/gm)].filter(([, name]) => used.has(name));
const names = icons.map(([, name]) => name);
const lines = [
  types.trimEnd(),
  ...icons.map(([declaration]) => declaration),
  `export { ${names.join(", ")} };`,
  "export type { Icon, IconNode, IconProps, SvgElementName, TablerIcon };",
];
mkdirSync(join(folder, "node_modules/.types"), { recursive: true });
writeFileSync(join(folder, "node_modules/.types/icons.d.ts"), lines.join("\n") + "\n");
