export interface Agent {
  /** As `loremark install` calls it; "" for those that are connected by hand. */
  name: string;
  title: string;
  kind: "agent" | "curl" | "mcp";
  /** What is still to be done by hand after `loremark install`. */
  next: string;
  /** What is captured and told, where it is less than all. */
  limits?: string;
}

const agent = (name: string, title: string, next: string, limits?: string): Agent => ({
  name,
  title,
  kind: "agent",
  next,
  limits,
});

/** Those that `loremark install` knows, in the order of the documentation, and two ways by hand. */
export const AGENTS: Agent[] = [
  agent("claude-code", "Claude Code", "Start Claude Code anew."),
  agent(
    "codex",
    "Codex",
    "Start codex, type /hooks and trust the six of loremark: it runs no hook before that.",
  ),
  agent("gemini", "Gemini CLI", "Start Gemini CLI anew."),
  agent("copilot", "Copilot", "Start copilot anew."),
  agent("opencode", "opencode", "Start opencode anew."),
  agent(
    "cline",
    "Cline",
    "Start Cline anew; in the extension, turn hooks on in its settings.",
    "Its command line does not tell us what was asked, only what was answered and done.",
  ),
  agent("cursor", "Cursor", "Start Cursor anew and turn the server loremark on in Settings, Tools & MCP."),
  agent(
    "vscode",
    "VS Code",
    "Run MCP: List Servers and start loremark; hooks are a preview (setting chat.useHooks).",
  ),
  agent("windsurf", "Windsurf", "Start Windsurf anew and refresh the servers in Cascade's settings."),
  agent(
    "zed",
    "Zed",
    "Zed starts the server by itself. Run loremark sync, so that AGENTS.md briefs it.",
    "It has no hooks: only what it saves by a tool is captured.",
  ),
  { name: "mcp", title: "Any MCP client", kind: "mcp", next: "" },
  { name: "curl", title: "Plain curl", kind: "curl", next: "" },
];

export const findAgent = (name: string | null) => AGENTS.find((one) => one.name === name);

/** In single quotes, whatever it holds: for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const SAMPLE = "We decided to use punched cards instead of a drum, because cards can be reordered.";

/** An event by hand; the key is asked for, so that it stands in no history. */
export function curlCommand(url: string, projectId: string): string {
  const payload = { changes: [{ category: "decision", title: "Punched cards", content: SAMPLE }] };
  const body = JSON.stringify({ projectId, event: "session_save", payload });
  return [
    "read -rs KEY   # paste the key, then press Enter",
    `curl -s ${url}/api/v2/events \\`,
    `  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(body)}`,
  ].join("\n");
}

export const mcpSettings = (url: string) =>
  JSON.stringify(
    {
      mcpServers: {
        loremark: {
          type: "http",
          url: `${url}/mcp`,
          headers: { Authorization: "Bearer ${LOREMARK_API_KEY}" },
        },
      },
    },
    null,
    2,
  );
