// loremark:owned: put here by `loremark install opencode`; `loremark uninstall opencode` takes it away.
// Feeds what happens in a session to `loremark hook opencode`, and puts the project's briefing into the system prompt. Never throws, never holds opencode up for long.
import { spawn } from "node:child_process"

const LOREMARK = "loremark"
const LONGEST_MS = 5000
const LONGEST_TEXT = 200000

const run = (payload) =>
  new Promise((resolve) => {
    let said = ""
    const done = () => resolve(said)
    try {
      const child = spawn(LOREMARK, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      const timer = setTimeout(() => (child.kill(), done()), LONGEST_MS)
      child.on("error", () => (clearTimeout(timer), done()))
      child.on("close", () => (clearTimeout(timer), done()))
      child.stdout.on("data", (part) => {
        if (said.length < LONGEST_TEXT) said += part
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      done()
    }
  })

const contextOf = (said) => {
  try {
    const answer = JSON.parse(said)
    return typeof answer.context === "string" ? answer.context : ""
  } catch {
    return ""
  }
}

const textOf = (parts) =>
  (parts ?? [])
    .filter((part) => part?.type === "text" && !part.synthetic && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n")

export const LoremarkPlugin = async ({ directory }) => {
  const briefings = new Map() // session -> promise of its briefing
  const replies = new Map() // session -> what the model said last
  const prompts = new Set() // messages of the person
  const children = new Set() // sessions of subagents: their parent tells what matters

  const tell = (event, session, more = {}) =>
    run({ loremark: 1, agent: "opencode", event, session_id: session, cwd: directory, ...more })

  const briefing = (session) => {
    if (!briefings.has(session)) {
      briefings.set(session, tell("session_start", session, { source: "startup" }).then(contextOf))
    }
    return briefings.get(session)
  }

  const seen = {
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
      await tell("turn_end", sessionID, { last_assistant_message: replies.get(sessionID) ?? "" })
    },
    "session.deleted": async ({ info }) => {
      if (info && !children.has(info.id)) await tell("session_end", info.id, { reason: "deleted" })
    },
  }

  return {
    event: async ({ event }) => {
      await seen[event?.type]?.(event.properties ?? {})
    },
    "chat.message": async (input, output) => {
      if (children.has(input.sessionID)) return
      await briefing(input.sessionID)
      await tell("prompt", input.sessionID, {
        prompt: textOf(output.parts),
        prompt_id: input.messageID ?? output.message?.id,
        model: output.message?.model?.modelID ?? input.model?.modelID,
      })
    },
    "tool.execute.after": async (input, output) => {
      if (children.has(input.sessionID)) return
      await tell("tool", input.sessionID, {
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: input.args ?? output?.metadata?.args ?? {},
      })
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID || children.has(input.sessionID)) return
      const text = await briefing(input.sessionID)
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async (input) => {
      if (!children.has(input.sessionID)) await tell("compact", input.sessionID, { trigger: "auto" })
    },
  }
}
