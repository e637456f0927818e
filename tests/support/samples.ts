const SAMPLES = new URL("../../deploy/samples/", import.meta.url);

/** The files in `deploy/samples` and its folders, by their paths there. */
export async function* sampleFiles(folder = ""): AsyncGenerator<{ path: string; text: string }> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, SAMPLES))) {
    const path = `${folder}${name}`;
    if (isDirectory) yield* sampleFiles(`${path}/`);
    else yield { path, text: await Deno.readTextFile(new URL(path, SAMPLES)) };
  }
}
