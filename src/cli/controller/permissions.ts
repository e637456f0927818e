import type { CredentialNeeds } from "../../kube/connection_config.ts";

/**
 * Drops, for the rest of this process, what `controller` no longer needs once it has started. A fault in it, or in what
 * it is made of, then cannot write a file, start a program, or read what is none of its business.
 *
 * Deno takes no part back of what was granted as a whole, as by `deno run -A`. The executable may read a list of folders
 * (`deploy/binary/compile.ts`): all of them, and the service account's, of which the latter is left.
 *
 * @param options.listed whether reading was granted as that list
 */
export function dropPermissions(
  { files, programs }: CredentialNeeds,
  { listed = Deno.build.standalone && Deno.build.os !== "windows" } = {},
) {
  const dropped: string[] = [];
  const kept = ["net: the API server, and who asks for metrics, health and the dashboard"];
  const revoke = (...names: string[]) => {
    for (const name of names) {
      // Deno's types know no "import", which Deno itself does.
      Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
      dropped.push(name);
    }
  };
  revoke("import", "ffi", "write", "sys");
  if (programs) kept.push("run, env: a program issues the credentials");
  else revoke("run", "env");
  if (files === "any") {
    kept.push("read: the kubeconfig and the files that it names are read again");
  } else if (!listed) {
    kept.push("read: it was granted as a whole, and the token is read again");
  } else {
    Deno.permissions.revokeSync({ name: "read", path: "/" });
    dropped.push("read");
    kept.push(`read of ${files}: the token is read again`);
  }
  return { dropped, kept };
}
