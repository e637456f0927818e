/** What a Pod's service account volume shows. */
export interface ServiceAccountFiles {
  readonly token: string;
  readonly "ca.crt": string;
  readonly namespace: string;
}

/**
 * A Pod's service account as the kubelet projects it: every file is a link through `..data`, itself a link to a folder that
 * holds one version of them all, and a new version is one rename away.
 */
export class ServiceAccountVolume {
  readonly path: string;
  readonly #owner: number | undefined;
  #version = 0;

  private constructor(path: string, owner: number | undefined) {
    this.path = path;
    this.#owner = owner;
  }

  /** @param owner who alone may read the token; absent: the user that runs the test */
  static async create(path: string, files: ServiceAccountFiles, owner?: number): Promise<ServiceAccountVolume> {
    await Deno.mkdir(path, { recursive: true, mode: 0o755 });
    const volume = new ServiceAccountVolume(path, owner);
    await volume.project(files);
    for (const name of Object.keys(files)) await Deno.symlink(`..data/${name}`, `${path}/${name}`);
    return volume;
  }

  /** Shows another version of all files, at once. */
  async project(files: ServiceAccountFiles): Promise<void> {
    const before = await Deno.readLink(`${this.path}/..data`).catch(() => undefined);
    const folder = `..2026_01_01_00_00_00.${++this.#version}`;
    await Deno.mkdir(`${this.path}/${folder}`, { mode: 0o755 });
    for (const [name, text] of Object.entries(files)) {
      const file = `${this.path}/${folder}/${name}`;
      await Deno.writeTextFile(file, text);
      await Deno.chmod(file, name === "token" ? 0o600 : 0o644);
      if (this.#owner !== undefined) await Deno.chown(file, this.#owner, this.#owner);
    }
    await Deno.symlink(folder, `${this.path}/..data_tmp`);
    await Deno.rename(`${this.path}/..data_tmp`, `${this.path}/..data`);
    if (before !== undefined) await Deno.remove(`${this.path}/${before}`, { recursive: true });
  }
}
