import type { ConnectionConfig } from "../../../src/kube/connection_config.ts";

/** As many pages as there are, without a browser: what each hears is read and thrown away. */
export async function holdStreams(port: number, connection: ConnectionConfig, count: number): Promise<AsyncDisposable> {
  const credential = await connection.credentials?.current();
  const token = connection.token ?? credential?.token;
  const headers = new Headers(credential?.headers);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  const responses = await Promise.all(
    Array.from({ length: count }, () => fetch(`http://127.0.0.1:${port}/api/rows`, { headers })),
  );
  for (const { ok, status } of responses) if (!ok) throw new Error(`The dashboard answered ${status}`);
  const read = responses.map(async ({ body }) => {
    for await (const _ of body!) { /* it is not looked at */ }
  });
  return {
    async [Symbol.asyncDispose]() {
      // The controller may end before: the streams then break.
      await Promise.race([Promise.allSettled(read), new Promise((resolve) => setTimeout(resolve, 100))]);
    },
  };
}
