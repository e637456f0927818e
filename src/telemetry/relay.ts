/** A direction of a connection; each has two. */
const COPIED_BYTES = 8_192;

/** Copies both ways between two connections until one ends, and closes both. Never rejects. */
export async function relay(outer: Deno.Conn, inner: Deno.TcpConn): Promise<void> {
  const close = () => [outer, inner].forEach(closeQuietly);
  await Promise.all([
    copy(outer, inner).then(() => inner.closeWrite()).catch(close),
    copy(inner, outer).catch(() => {/* one of them is closed */}).then(close),
  ]);
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
