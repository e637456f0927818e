import type { KubeClient } from "../../../src/kube/client.ts";
import type { Resource } from "../../../src/kube/resource.ts";

/** A client that notes the requests made through it, reads by lists and watches apart: `patch pods`. */
export function countRequests(client: KubeClient): { readonly client: KubeClient; readonly made: string[] } {
  const made: string[] = [];
  const counting = new Proxy(client, {
    get(target, property) {
      const value = Reflect.get(target, property);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (["get", "create", "replace", "patch", "delete"].includes(property as string)) {
          const { subresource } = (args.at(-1) ?? {}) as { subresource?: string };
          made.push(`${String(property)} ${(args[0] as Resource).plural}${subresource ? `/${subresource}` : ""}`);
        }
        return value.apply(target, args);
      };
    },
  });
  return { client: counting, made };
}
