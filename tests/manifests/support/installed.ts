import { fail } from "@std/assert";
import type { Deployment } from "kubernetes-types/apps/v1";
import { Refusal } from "../../../src/apiserver/refusals.ts";
import type { KubeObject, Unstored } from "../../../src/kube/object.ts";
import { NAMESPACES, type Resource } from "../../../src/kube/resource.ts";
import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { NAME, NAMESPACE } from "../../../src/manifests/install.ts";
import type { KubeManifest } from "../../../src/manifests/objects.ts";
import { startTestApiServer, type TestApiServer } from "../../support/api_server.ts";
import { type AuditEvent, auditLogPath, isOfController, readAuditLog } from "../../support/audit.ts";
import { must } from "../../support/expected.ts";
import { NO_ENDPOINTS, PROGRAM, RunningProgram, temporaryFolder } from "../../support/program.ts";
import { Permissions } from "./rbac.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";
import { kubeconfig } from "../../support/kubeconfig.ts";

/** The user that Pods with the controller's service account are. */
export const CONTROLLER = `system:serviceaccount:${NAMESPACE}:${NAME}`;
const TOKEN = "token-of-the-service-account";

/** Of what an installation brings, the kinds that our API server knows and that change what it does. */
const APPLIED: Record<string, Resource> = {
  Namespace: NAMESPACES,
  CustomResourceDefinition: CUSTOM_RESOURCE_DEFINITIONS,
};

/**
 * An installation: an API server that allows the controller's user what the rendered roles allow and nothing else, and
 * processes that run the Deployment's command line as that user.
 */
export class Installed implements AsyncDisposable {
  readonly #faults = new Set<string>();
  readonly #stack = new AsyncDisposableStack();
  readonly #args: readonly string[];
  #folder!: string;
  #auditLog!: string;
  /** The administrator's. */
  client!: HttpKubeClient;

  private constructor(readonly permissions: Permissions, deployment: Deployment) {
    this.#args = must(deployment.spec!.template.spec!.containers[0]).args ?? [];
  }

  static async start(objects: readonly KubeManifest[]): Promise<Installed> {
    const deployment = objects.find(({ kind }) => kind === "Deployment") as unknown as Deployment;
    const installed = new Installed(new Permissions(objects), deployment);
    await installed.#start(objects);
    return installed;
  }

  async #start(objects: readonly KubeManifest[]): Promise<void> {
    const folder = this.#folder = this.#stack.use(await temporaryFolder()).path;
    this.#auditLog = auditLogPath() ?? `${folder}/audit.log`;
    await Deno.writeTextFile(`${folder}/tokens`, `${TOKEN},${CONTROLLER},u1,"system:serviceaccounts"\n`);
    const api = this.#stack.use(
      await startTestApiServer({
        tokenFile: `${folder}/tokens`,
        auditLogPath: this.#auditLog,
        mayAlso: ({ name }, request) => {
          if (this.permissions.allowing(name, request).length === 0) return false;
          if (this.#faults.delete(`${request.verb} ${request.plural}`)) {
            throw new Refusal(500, "InternalError", "it was told to fail");
          }
          return true;
        },
      }),
    );
    this.client = api.client;
    for (const object of objects) {
      const resource = APPLIED[object.kind];
      if (resource) await api.client.create(resource, object as Unstored<KubeObject>);
    }
    await Deno.writeTextFile(`${folder}/kubeconfig`, kubeconfigOf(api, { token: TOKEN, namespace: NAMESPACE }));
  }

  /** Sees to it that there is such a namespace. */
  async namespace(name: string): Promise<void> {
    if (name === "default") return;
    await this.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  /** Has the server fail at the next such request, such as `create jobs`: the caller can't know whether it took effect. */
  failAtNext(request: `${string} ${string}`): void {
    this.#faults.add(request);
  }

  /** A Pod of the Deployment. */
  startReplica(...more: string[]): RunningProgram {
    const args = [...this.#args, "--kubeconfig", `${this.#folder}/kubeconfig`, ...NO_ENDPOINTS, ...more];
    return this.#stack.use(new RunningProgram([...PROGRAM, ...args]));
  }

  /** What controllers asked for so far. */
  async requests(): Promise<AuditEvent[]> {
    // It looks for kube-controller-manager only where it is started with a kubeconfig, as here, and in no Pod; and every
    // authenticated user may ask which APIs there are, and what they may do.
    const events = (await readAuditLog(this.#auditLog)).filter(({ userAgent = "" }) =>
      !/ (start|discovery)$/.test(userAgent)
    );
    const strangers = events.filter((event) => event.user.username === CONTROLLER && !isOfController(event));
    if (strangers.length > 0) fail(`Requests of a controller that do not say so: ${JSON.stringify(strangers)}`);
    return events.filter(({ user }) => user.username === CONTROLLER);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** As a Pod's service account reaches the server: its namespace is the Pod's. */
export function kubeconfigOf(
  { server: { url, caCertificate } }: TestApiServer,
  { token, namespace }: { token: string; namespace: string },
): string {
  const cluster = { server: url, "certificate-authority-data": btoa(caCertificate) };
  return kubeconfig({ cluster, user: { token }, namespace });
}
