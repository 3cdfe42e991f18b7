// What this page and its host say to each other: JSON-RPC by messages, as the specification of MCP Apps has it.

const waiting = new Map();
const heard = {};
let asked = 0;

const post = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const notify = (method, params = {}) => post({ method, params });
const ask = (method, params = {}) =>
  new Promise((resolve, reject) => {
    asked += 1;
    waiting.set(asked, { resolve, reject });
    post({ id: asked, method, params });
  });

// A tool of our server, called by this page; what it answers as a value, and its words where it is an error.
const call = async (name, given) => {
  const result = await ask("tools/call", { name, arguments: given });
  const text = result.content?.[0]?.text || "";
  if (result.isError) return { wrong: text || "the server could not do it", ...result.structuredContent };
  return result.structuredContent || JSON.parse(text);
};

window.addEventListener("message", (event) => {
  const message = event.data;
  if (event.source !== window.parent || !message || message.jsonrpc !== "2.0") return;
  if (message.id !== undefined && message.method === undefined) {
    const answer = waiting.get(message.id);
    waiting.delete(message.id);
    if (answer) message.error ? answer.reject(message.error) : answer.resolve(message.result || {});
    return;
  }
  heard[message.method]?.(message.params || {});
  if (message.id !== undefined) post({ id: message.id, result: {} });
});

// The host is told how much room the page takes, whenever that changes.
let told = "";
new ResizeObserver(() => {
  const box = document.documentElement.getBoundingClientRect();
  const size = { width: Math.ceil(box.width), height: Math.ceil(box.height) };
  if (JSON.stringify(size) === told) return;
  told = JSON.stringify(size);
  notify("ui/notifications/size-changed", size);
}).observe(document.documentElement);
