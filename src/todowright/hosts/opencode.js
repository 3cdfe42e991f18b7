// todowright @VERSION@ for OpenCode: the plan tool, and the plan that comes back after a compaction.
// `todowright install opencode` writes this file, and `todowright uninstall opencode` takes it away.
import { spawn } from "node:child_process"

const COMMAND = @COMMAND@
const MIRROR_ONLY = @MIRROR_ONLY@ // true: leave OpenCode's own todowrite in place, and only write down what it is told
const LIMIT_MS = 10_000
const VERIFY_LIMIT_MS = 3_700_000 // what `todowright gate` names has a limit of its own

/** What `todowright hook` answers to an event; an empty text where it answers nothing, or fails. */
function ask(event, limit = LIMIT_MS) {
  return new Promise((resolve) => {
    try {
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), "hook", "opencode"], {
        stdio: ["pipe", "pipe", "ignore"],
        timeout: limit,
      })
      let text = ""
      child.stdout.on("data", (part) => (text += part))
      child.on("error", () => resolve(""))
      child.on("close", () => resolve(text.trim()))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve("")
    }
  })
}

function contextOf(answer) {
  try {
    return JSON.parse(answer).hookSpecificOutput?.additionalContext ?? ""
  } catch {
    return ""
  }
}

function refusalIn(answer) {
  try {
    return JSON.parse(answer).hookSpecificOutput?.permissionDecisionReason ?? ""
  } catch {
    return ""
  }
}

export const Todowright = async (ctx) => {
  const parents = new Map() // session -> the session it works for; "" for none
  const standing = new Map() // session -> the plan that its next requests are given
  const met = new Set()

  async function parentOf(session) {
    if (!parents.has(session)) {
      const found = await ctx.client.session.get({ path: { id: session } }).catch(() => undefined)
      parents.set(session, found?.data?.parentID ?? "")
    }
    return parents.get(session)
  }

  async function rootOf(session) {
    for (let depth = 0; depth < 10; depth++) {
      const parent = await parentOf(session)
      if (!parent) break
      session = parent
    }
    return session
  }

  async function tell(name, session, more = {}, limit = LIMIT_MS) {
    const root = await rootOf(session)
    const agent = root === session ? "" : session
    const event = { hook_event_name: name, session_id: root, agent_id: agent, cwd: ctx.directory, ...more }
    return ask(event, limit)
  }

  async function meet(session, prompt) {
    if (met.has(session)) return
    met.add(session)
    await tell("UserPromptSubmit", session, { prompt })
    await putBack(session, "resume")
  }

  async function putBack(session, source) {
    const text = contextOf(await tell("SessionStart", session, { source }))
    if (text) standing.set(session, text)
  }

  const mirror = {
    "tool.execute.before": async (input, output) => {
      if (input.tool !== "todowrite") return
      const call = { tool_name: "todowrite", tool_input: output.args }
      const refusal = refusalIn(await tell("PreToolUse", input.sessionID, call, VERIFY_LIMIT_MS))
      if (refusal) throw new Error(refusal)
    },
    event: async ({ event }) => {
      const { sessionID: session, todos, info } = event.properties ?? {}
      if (event.type === "session.created" && info?.id) parents.set(info.id, info.parentID ?? "")
      if (event.type === "todo.updated" && session)
        await tell("PostToolUse", session, { tool_name: "todowrite", tool_input: { todos } })
    },
  }
  if (MIRROR_ONLY) return mirror

  return {
    config: async (config) => {
      config.mcp ??= {}
      config.mcp.todowright = { type: "local", command: [...COMMAND, "mcp"], enabled: true }
      config.tools ??= {}
      config.tools.todowrite ??= false // one plan, not two; say true in opencode.json to keep it
    },
    "chat.message": async (input, output) => {
      const text = (output.parts ?? []).map((part) => part.text ?? "").join(" ")
      await meet(input.sessionID, text.slice(0, 400))
    },
    "tool.execute.before": async (input, output) => {
      if (!input.tool.startsWith("todowright_")) return mirror["tool.execute.before"](input, output)
      const root = await rootOf(input.sessionID)
      output.args._session = input.sessionID
      if (root !== input.sessionID) output.args._parent = root
    },
    "tool.execute.after": async (input) => {
      if (input.tool.startsWith("todowright_")) standing.delete(input.sessionID)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = standing.get(input.sessionID)
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async (input, output) => {
      const text = await tell("PreCompact", input.sessionID)
      if (text) output.context.push(text)
      await putBack(input.sessionID, "compact") // now: the next request does not wait for the event
    },
    event: async (given) => {
      await mirror.event(given)
      const session = given.event.properties?.sessionID
      if (given.event.type === "session.idle" && session && !(await parentOf(session))) {
        const answer = await tell("Stop", session)
        if (!answer) return
        const parts = [{ type: "text", text: JSON.parse(answer).reason }]
        await ctx.client.session.prompt({ path: { id: session }, body: { parts } }).catch(() => {})
      }
    },
  }
}
