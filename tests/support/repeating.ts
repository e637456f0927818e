/** Does it again and again, until disposed of. */
export function repeating(act: () => Promise<void>, everyMs: number): AsyncDisposable {
  let goesOn = true;
  const running = (async () => {
    while (goesOn) {
      await act();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      goesOn = false;
      await running;
    },
  };
}
