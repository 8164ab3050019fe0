// What the page holds, as the fragment of its address: JSON, compressed, in base64 for URLs. It never leaves the page by itself: browsers
// do not send fragments.

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export async function pack(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let text = "";
  for (let i = 0; i < bytes.length; i += 4096) {
    text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  }
  return `#1.${btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

const MOST = 8 << 20; // bytes that a link may unpack to

/** What the fragment holds; null where there is none; throws where it is damaged. */
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
      throw new Error("the link holds too much");
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
