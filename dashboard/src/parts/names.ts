import { lookup } from "./lookup";

const EVENTS: Record<string, string> = {
  session_save: "Session activity",
  git_digest: "Commits",
  scan_result: "Scan result",
  context_update: "Context update",
  memory_operation: "Memory change",
};

/** Display name of an event type. */
export const eventName = (type: string) => lookup(EVENTS, type) ?? type.replaceAll("_", " ");

const SOURCES: Record<string, string> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  cursor: "Cursor",
  gemini: "Gemini CLI",
  copilot: "Copilot CLI",
  opencode: "opencode",
  cline: "Cline",
  vscode: "VS Code",
  windsurf: "Windsurf",
  devin: "Devin Desktop",
  zed: "Zed",
  qwen: "Qwen Code",
  git: "Git",
  genesis: "Genesis scan",
  scan: "Local scan",
  import: "Import",
  api: "API",
  cli: "Command line",
  mcp: "MCP",
  dashboard: "Dashboard",
};

/** Display name of a source; the part after the colon in "claude-code:4f2a" only tells sessions apart. */
export function sourceName(source: string): string {
  const name = source.split(":", 1)[0]!.trim();
  return lookup(SOURCES, name.toLowerCase()) ?? name.slice(0, 60);
}

/** Display name of a language model. */
export const modelName = (model: string) => (model.startsWith("builtin-") ? "Built-in engine" : model);

/** Options for the layer of the brain that a memory or context belongs to. */
export const BRAIN_LAYERS = [
  { value: "1", label: "1 (included in the brain first)" },
  { value: "2", label: "2 (included after layer 1)" },
  { value: "3", label: "3 (included if space remains)" },
];

export const SCHEMA_KEY_HELP = "Place in the map, such as root/checkout";
