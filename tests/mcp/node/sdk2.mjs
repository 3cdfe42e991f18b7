// The TypeScript client of the stateless era drives our server: node sdk2.mjs stdio COMMAND… | node sdk2.mjs http URL
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const headers = { Authorization: `Bearer ${process.env.TODOWRIGHT_TOKEN}` };
const [kind, first, ...rest] = process.argv.slice(2);
const transport =
  kind === "stdio"
    ? new StdioClientTransport({ command: first, args: rest })
    : new StreamableHTTPClientTransport(new URL(first), { requestInit: { headers } });
const client = new Client({ name: "sdk2", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(transport);
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const planned = await client.callTool({ name: "plan", arguments: { steps: ["One", "Two"] } });
const done = await client.callTool({ name: "done", arguments: { step: 1 } });
const { resources } = await client.listResources();
const uri = resources.find((each) => each.uri.startsWith("plan://")).uri;
const plan = JSON.parse((await client.readResource({ uri })).contents[0].text);
console.log(
  JSON.stringify({
    tools,
    planned: planned.content[0].text,
    done: done.content[0].text,
    statuses: plan.plans[0].todos.map((todo) => todo.status),
  }),
);
await client.close();
process.exit(0);
