// loremark:owned: created by `loremark install opencode`, removed by `loremark uninstall opencode`.
// Sends session events to `loremark hook opencode` and adds the project briefing to the system prompt. Never throws and never blocks opencode for long.
import { spawn } from "node:child_process"

const LOREMARK = "loremark"
const TIMEOUT_MS = 5000
const MAX_OUTPUT_CHARS = 200000
const MAX_ERROR_CHARS = 4000

const run = (payload) =>
  new Promise((resolve) => {
    let output = ""
    const done = () => resolve(output)
    try {
      const child = spawn(LOREMARK, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      const timer = setTimeout(() => (child.kill(), done()), TIMEOUT_MS)
      child.on("error", () => (clearTimeout(timer), done()))
      child.on("close", () => (clearTimeout(timer), done()))
      child.stdout.on("data", (part) => {
        if (output.length < MAX_OUTPUT_CHARS) output += part
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      done()
    }
  })

const contextOf = (output) => {
  try {
    const response = JSON.parse(output)
    return typeof response.context === "string" ? response.context : ""
  } catch {
    return ""
  }
}

const textOf = (parts) =>
  (parts ?? [])
    .filter((part) => part?.type === "text" && !part.synthetic && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n")

// The exit code of a command, and the end of its output if it failed.
const responseOf = (output) => {
  const exit = output?.metadata?.exit
  return exit ? { exit, output: String(output.output ?? "").slice(-MAX_ERROR_CHARS) } : { exit }
}

export const LoremarkPlugin = async ({ directory }) => {
  const briefings = new Map() // session -> promise of what holds for every task
  const answers = new Map() // session -> what memory says about its first prompt
  const replies = new Map() // session -> the model's last message
  const prompts = new Set() // IDs of user messages
  const children = new Set() // subagent sessions, covered by their parent

  const send = (event, session, more = {}) =>
    run({ loremark: 1, agent: "opencode", event, session_id: session, cwd: directory, ...more })

  const briefing = (session) => {
    if (!briefings.has(session)) {
      briefings.set(session, send("session_start", session, { source: "startup" }).then(contextOf))
    }
    return briefings.get(session)
  }

  const handlers = {
    "session.created": ({ info }) => {
      if (info?.parentID) children.add(info.id)
    },
    "message.updated": ({ info }) => {
      if (info?.role === "user") prompts.add(info.id)
    },
    "message.part.updated": ({ part }) => {
      if (part?.type === "text" && !prompts.has(part.messageID)) replies.set(part.sessionID, part.text)
    },
    "session.idle": async ({ sessionID }) => {
      if (children.has(sessionID)) return
      await send("turn_end", sessionID, { last_assistant_message: replies.get(sessionID) ?? "" })
    },
    "session.deleted": async ({ info }) => {
      if (info && !children.has(info.id)) await send("session_end", info.id, { reason: "deleted" })
    },
  }

  return {
    event: async ({ event }) => {
      await handlers[event?.type]?.(event.properties ?? {})
    },
    "chat.message": async (input, output) => {
      if (children.has(input.sessionID)) return
      await briefing(input.sessionID)
      const answer = await send("prompt", input.sessionID, {
        prompt: textOf(output.parts),
        prompt_id: input.messageID ?? output.message?.id,
        model: output.message?.model?.modelID ?? input.model?.modelID,
      }).then(contextOf)
      if (answer) answers.set(input.sessionID, answer)
    },
    "tool.execute.after": async (input, output) => {
      if (children.has(input.sessionID)) return
      await send("tool", input.sessionID, {
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: input.args ?? output?.metadata?.args ?? {},
        tool_response: responseOf(output),
      })
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID || children.has(input.sessionID)) return
      for (const text of [await briefing(input.sessionID), answers.get(input.sessionID)]) {
        if (text) output.system.push(text)
      }
    },
    "experimental.session.compacting": async (input) => {
      if (!children.has(input.sessionID)) await send("compact", input.sessionID, { trigger: "auto" })
    },
  }
}
