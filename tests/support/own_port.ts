/**
 * Returns a port where nothing listens, below those that the system picks for a listener on port 0: no other test is given it
 * meanwhile. For a server that comes back at the same address, and for an address that no server has.
 */
export function ownPort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
