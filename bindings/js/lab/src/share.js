// The state of the page as the fragment of its address: JSON, compressed, in base64 for URLs. Browsers do not send
// fragments, so it stays in the page.

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export async function pack(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let text = "";
  for (let i = 0; i < bytes.length; i += 4096) {
    text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  }
  return `#1.${btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

const MOST = 8 << 20; // maximum unpacked bytes of a link

/** Returns the state in the fragment; null if there is none; throws if it is damaged. */
export async function unpack(fragment) {
  if (!fragment.startsWith("#1.")) {
    return null;
  }
  const text = atob(fragment.slice(3).replace(/-/g, "+").replace(/_/g, "/"));
  const reader = new Blob([Uint8Array.from(text, (c) => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let json = "", size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST) {
      throw new Error("the link contains too much");
    }
    json += decoder.decode(value, { stream: true });
  }
  const state = JSON.parse(json + decoder.decode());
  const string = (value, other = "") => (typeof value === "string" ? value : other);
  return {
    script: string(state.script),
    samples: (Array.isArray(state.samples) ? state.samples : []).map(({ title, text: sample }, i) => ({ title: string(title, `sample ${i + 1}`), text: string(sample) })),
    tools: string(state.tools),
    options: Object.fromEntries(Object.entries(state.options ?? {}).filter(([, value]) => typeof value === "string")),
  };
}
