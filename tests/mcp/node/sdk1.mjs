// The TypeScript SDK of the handshake era drives our server: node sdk1.mjs stdio COMMAND… | node sdk1.mjs http URL
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const headers = { Authorization: `Bearer ${process.env.TODOWRIGHT_TOKEN}` };
const [kind, first, ...rest] = process.argv.slice(2);
const transport =
  kind === "stdio"
    ? new StdioClientTransport({ command: first, args: rest })
    : new StreamableHTTPClientTransport(new URL(first), { requestInit: { headers } });
const client = new Client({ name: "sdk1", version: "1.0.0" });
await client.connect(transport);
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const planned = await client.callTool({ name: "plan", arguments: { steps: ["One", "Two"] } });
const { resources } = await client.listResources();
const uri = resources.find((each) => each.uri.startsWith("plan://")).uri;
const heard = new Promise((resolve) =>
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (note) => resolve(note.params.uri)),
);
await client.subscribeResource({ uri });
const done = await client.callTool({ name: "done", arguments: { step: 1 } });
const plan = JSON.parse((await client.readResource({ uri })).contents[0].text);
console.log(
  JSON.stringify({
    tools,
    planned: planned.content[0].text,
    done: done.content[0].text,
    heard: (await heard) === uri,
    statuses: plan.plans[0].todos.map((todo) => todo.status),
  }),
);
await client.close();
process.exit(0);
