/** Resolves with the text of a request, with its body. */
export async function requestOn(connection: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(64 * 1024);
  for (let text = "";;) {
    const [, length = "0"] = /content-length: (\d+)/i.exec(text) ?? [];
    const end = text.indexOf("\r\n\r\n");
    if (end >= 0 && text.length >= end + 4 + Number(length)) return text;
    const count = await connection.read(buffer);
    if (count === null) return text;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
}
