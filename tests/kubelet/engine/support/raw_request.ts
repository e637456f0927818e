/** Resolves with the text of a request, with its body. */
export async function requestOn(connection: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(64 * 1024);
  for (let text = "";;) {
    const [, length = "0"] = /content-length: (\d+)/i.exec(text) ?? [];
    const end = text.indexOf("\r\n\r\n");
    const isWhole = /\r\ntransfer-encoding: chunked\r\n/i.test(text)
      ? text.endsWith("\r\n0\r\n\r\n")
      : text.length >= end + 4 + Number(length);
    if (end >= 0 && isWhole) return text;
    const count = await connection.read(buffer);
    if (count === null) return text;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
}
