/** Where a Pod finds its service account. */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** A service account as the kubelet puts it into a Pod: a volume whose files are exchanged all at once, by symbolic links. */
export class ServiceAccount {
  readonly #folder: string;
  #generation = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes the files, or exchanges them. */
  async write({ token, caCertificate, namespace = "default" }: {
    token: string;
    caCertificate: string;
    namespace?: string;
  }): Promise<void> {
    const data = `..${++this.#generation}`;
    await Deno.mkdir(`${this.#folder}/${data}`, { recursive: true });
    const files = { token, "ca.crt": caCertificate, namespace };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${this.#folder}/${data}/${name}`, text);
      if (this.#generation === 1) await Deno.symlink(`..data/${name}`, `${this.#folder}/${name}`);
    }
    await Deno.symlink(data, `${this.#folder}/..data_tmp`);
    await Deno.rename(`${this.#folder}/..data_tmp`, `${this.#folder}/..data`);
  }

  /**
   * What to run so that `command` finds this service account where a Pod has it, and the API server at `url` in the
   * variables that a Pod has. Signals reach the command itself.
   */
  inPod(command: readonly string[], url: string): { command: string[]; env: Record<string, string> } {
    const mount = `mount -t tmpfs tmpfs "$(readlink -f /var/run)" && mkdir -p ${SERVICE_ACCOUNT} && ` +
      `mount --bind "$0" ${SERVICE_ACCOUNT} && exec "$@"`;
    const { hostname, port } = new URL(url);
    // Root may mount also where no other user may become root of a namespace.
    const unshare = ["unshare", ...Deno.uid() === 0 ? [] : ["--user", "--map-root-user"], "--mount"];
    return {
      command: [...unshare, "sh", "-c", mount, this.#folder, ...command],
      env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, KUBECONFIG: "" },
    };
  }
}
