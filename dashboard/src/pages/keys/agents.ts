export interface Agent {
  /** Name for `loremark install`, except for kinds "mcp" and "curl". */
  name: string;
  title: string;
  kind: "agent" | "curl" | "mcp";
  /** The manual step after `loremark install`. */
  next: string;
  /** Limits of what is captured, if any. */
  limits?: string;
  /** Whether its hooks report when a session ends, which starts enrichment. */
  hasHooks?: boolean;
  /** Whether it can read finished sessions in the background. */
  reads?: boolean;
}

const READERS = ["claude-code", "codex", "gemini", "copilot", "opencode", "cline"];

const agent = (name: string, title: string, next: string, limits?: string): Agent => ({
  name,
  title,
  kind: "agent",
  next,
  limits,
  hasHooks: name !== "zed",
  reads: READERS.includes(name),
});

/** The agents `loremark install` supports, in the order of the docs, plus two manual setups. */
export const AGENTS: Agent[] = [
  agent("claude-code", "Claude Code", "Restart Claude Code."),
  agent(
    "codex",
    "Codex",
    "Codex runs no hooks until you trust them: start Codex, type /hooks and trust the six loremark hooks.",
  ),
  agent("gemini", "Gemini CLI", "Restart Gemini CLI."),
  agent("copilot", "Copilot CLI", "Restart Copilot CLI."),
  agent("opencode", "opencode", "Restart opencode."),
  agent(
    "cline",
    "Cline",
    "Restart Cline. In the extension, turn on hooks in its settings.",
    "The Cline CLI does not report your prompts, only its answers and actions.",
  ),
  agent("cursor", "Cursor", "Restart Cursor and turn on the loremark server under Settings, Tools & MCP."),
  agent(
    "vscode",
    "VS Code",
    "Run the command “MCP: List Servers” and start loremark. To capture sessions, turn on the preview setting chat.useHooks.",
  ),
  agent(
    "windsurf",
    "Windsurf",
    "Restart Windsurf and refresh the servers in Cascade's settings. Run loremark sync to add the project memory to AGENTS.md.",
    "Windsurf's hooks capture sessions but cannot brief it, so it reads the memory from AGENTS.md.",
  ),
  agent("devin", "Devin Desktop", "Restart Devin Desktop."),
  agent(
    "zed",
    "Zed",
    "Zed starts the server automatically. Run loremark sync to add the project memory to AGENTS.md.",
    "Zed has no hooks, so Loremark captures only what the agent saves with a tool.",
  ),
  { name: "mcp", title: "Any MCP client", kind: "mcp", next: "" },
  { name: "curl", title: "curl", kind: "curl", next: "" },
];

export const findAgent = (name: string | null) => AGENTS.find((agent) => agent.name === name);

/** Quotes text for a POSIX shell. */
const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const SAMPLE = "We decided to use punched cards instead of a drum, because cards can be reordered.";

/** A curl command that sends one event. Prompts for the key, to keep it out of the shell history. */
export function curlCommand(url: string, projectId: string): string {
  const payload = { changes: [{ category: "decision", title: "Punched cards", content: SAMPLE }] };
  const body = JSON.stringify({ projectId, event: "session_save", payload });
  return [
    "read -rs KEY   # paste the key, then press Enter",
    `curl -s ${url}/api/v2/events \\`,
    `  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\`,
    `  -d ${shellQuote(body)}`,
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
