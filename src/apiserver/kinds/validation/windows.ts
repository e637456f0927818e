import type { Json } from "../../resource_kind.ts";
import { type Check, must, named, rules } from "./check.ts";
import { type Findings, invalidValue } from "./field_errors.ts";
import { byteLength, subdomainErrors, texts } from "./names.ts";
import { ofContainers } from "./pod_scope.ts";

const MAX_SPEC_KIB = 64, MAX_DOMAIN_CHARACTERS = 256, MAX_USER_CHARACTERS = 104;
const CONTROL = /\p{Cc}/u;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Returns what is wrong with `DOMAIN\\user`, of which the domain may be left out. */
function userName(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (CONTROL.test(name)) return ["runAsUserName cannot contain control characters"];
  const [user = "", domain, ...more] = name.split("\\").reverse();
  if (more.length > 0) return ["runAsUserName cannot contain more than one backslash"];
  return texts(
    byteLength(domain ?? "") >= MAX_DOMAIN_CHARACTERS &&
      `Domain length must be under ${MAX_DOMAIN_CHARACTERS} characters`,
    domain !== undefined && !NETBIOS.test(domain) && !DNS.test(domain) &&
      "Domain doesn't match the NetBios nor the DNS format",
    user === "" && "User cannot be empty",
    byteLength(user) > MAX_USER_CHARACTERS && `User length must not be longer than ${MAX_USER_CHARACTERS} characters`,
    /^[. ]+$/.test(user) && "User cannot contain only periods or spaces",
    /["/\\:;|=,+*?<>@[\]]/.test(user) && 'User cannot contain the following characters: "/\\:;|=,+*?<>@[]',
  ).map((what) => `runAsUserName's ${what}`);
}

/** Of a Pod and of its containers alike. */
export const WINDOWS_OPTIONS: Check = rules(
  "core validateWindowsSecurityContextOptions",
  ["gmsaCredentialSpecName", named(subdomainErrors)],
  [
    "gmsaCredentialSpec",
    must("gmsaCredentialSpec cannot be an empty string", (spec: string) => spec !== ""),
    must(
      `gmsaCredentialSpec size must be under ${MAX_SPEC_KIB} KiB`,
      (spec: string) => byteLength(spec) <= MAX_SPEC_KIB * 1024,
    ),
  ],
  ["runAsUserName", named(userName)],
);

/** Core `validateWindowsHostProcessPod`: processes of the node are alone in their Pod, and on the node's network. */
export function hostProcesses(spec: Json, path: string): Findings {
  const ofPod: boolean | undefined = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = ofContainers(spec, path, ({ securityContext }, at) => {
    const own: boolean | undefined = securityContext?.windowsOptions?.hostProcess;
    return { own, isHosted: own ?? ofPod ?? false, at: `${at}.securityContext.windowsOptions.hostProcess` };
  });
  const hosted = containers.filter(({ isHosted }) => isHosted).length;
  const others = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
  const network = "hostNetwork must be true if pod contains any hostProcess containers";
  return [
    containers.map(({ own, at }) =>
      ofPod !== undefined && own !== undefined && own !== ofPod &&
      invalidValue(at, own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`)
    ),
    hosted > 0 && hosted < containers.length && invalidValue(path, "", others),
    hosted > 0 && !spec.hostNetwork && invalidValue(`${path}.hostNetwork`, false, network),
  ];
}
