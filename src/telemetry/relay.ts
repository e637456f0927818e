/** A direction of a connection; each has two. */
const COPIED_BYTES = 8_192;

/** Copies both ways between two connections until one ends, and closes both; `first` was read already. Never rejects. */
export async function relay(
  outer: Deno.Conn,
  inner: Deno.TcpConn,
  first: Uint8Array = new Uint8Array(),
): Promise<void> {
  const close = () => [outer, inner].forEach(closeQuietly);
  await Promise.all([
    writeAll(inner, first).then(() => copy(outer, inner)).then(() => inner.closeWrite()).catch(close),
    copy(inner, outer).catch(() => {/* one of them is closed */}).then(close),
  ]);
}

/** Reads at least so many bytes, unless the connection ends before. */
export async function readSome(from: Deno.Conn, least: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(COPIED_BYTES);
  let filled = 0;
  while (filled < least) {
    const length = await from.read(bytes.subarray(filled));
    if (length === null) break;
    filled += length;
  }
  return bytes.subarray(0, filled);
}

async function copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const bytes = new Uint8Array(COPIED_BYTES);
  for (let length; (length = await from.read(bytes)) !== null;) await writeAll(to, bytes.subarray(0, length));
}

async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await to.write(bytes.subarray(sent));
}

/** Closes a connection, which may be closed already. */
export function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It was.
  }
}
