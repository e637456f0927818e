import { type Clock, SystemClock } from "../base/clock.ts";
import { Api, type Page } from "./api.ts";
import { AuditLog } from "./audit_log.ts";
import type { ApiRequest } from "./http/exchange.ts";
import { HttpsServer } from "./http/https_server.ts";
import { BUILT_IN_KINDS } from "./kinds/all.ts";
import { ruleAdvice } from "./kinds/custom_resource_definition.ts";
import { EVENTS } from "./kinds/event.ts";
import { createDefaults, publishService } from "./controllers/defaults.ts";
import { CustomResources } from "./controllers/custom_resources.ts";
import { GarbageCollector } from "./controllers/garbage_collector.ts";
import { Housekeeping } from "./controllers/housekeeping.ts";
import { DEFAULT_SERVICE_ACCOUNT, NamespaceContents, rootCaConfigMap } from "./controllers/namespace_contents.ts";
import { NamespaceController } from "./controllers/namespace_controller.ts";
import { REVIEWS } from "./operations/reviews.ts";
import type { ServerContext } from "./operations/context.ts";
import type { PodLogSource } from "./pod_logs.ts";
import type { PodSessionSource } from "./pod_sessions.ts";
import { type KindSettings, Registry } from "./registry.ts";
import type { ResourceKind } from "./resource_kind.ts";
import { Authenticator, MASTERS_GROUP, readTokenFile } from "./security/authentication.ts";
import type { MayAlso } from "./security/authorization.ts";
import { keepCertificate } from "./security/certificate_renewal.ts";
import { serverCertificate } from "./security/certificates.ts";
import { administratorToken, writeKubeconfig } from "./security/credentials.ts";
import { DataDir } from "./storage/data_dir.ts";
import { Database } from "./storage/database.ts";
import { Storage } from "./storage/storage.ts";
import { WatchHub } from "./watch/watch_hub.ts";

/** Controllers that a cluster has in kube-controller-manager, under its names: `gc` empties namespaces, too. */
export type ServerController = "gc" | "serviceaccount" | "root-ca-cert-publisher";

export interface ApiServerOptions extends KindSettings {
  /** Holds the database, the certificates, the token and the kubeconfig. Made if it is not there. */
  readonly dataDir: string;
  /** 0 takes any that is free. @default {0} */
  readonly port?: number | undefined;
  readonly clock?: Clock | undefined;
  /** @default {["gc"]} */
  readonly controllers?: readonly ServerController[] | undefined;
  /** Without it there are no Pod logs. */
  readonly podLogs?: PodLogSource | undefined;
  /** Without it there are no sessions with containers. */
  readonly podSessions?: PodSessionSource | undefined;
  /** Keep objects in memory only. @default {false} */
  readonly ephemeral?: boolean | undefined;
  /** More users, as `--token-auth-file` of kube-apiserver names them. */
  readonly tokenFile?: string | undefined;
  /** The rights of users outside of `system:masters`. @default none */
  readonly mayAlso?: MayAlso | undefined;
  /** A file that records every request; it is appended to. */
  readonly auditLogPath?: string | undefined;
  /** Served besides those that are built in. @default none */
  readonly kinds?: readonly ResourceKind[] | undefined;
  /** Served to administrators besides Kubernetes' own paths, by the first part of the path. @default none */
  readonly pages?: Readonly<Record<string, Page>> | undefined;
  /** Whether `/readyz` answers 200, besides that the server runs. @default true */
  readonly isReady?: (() => boolean) | undefined;
}

export interface ApiServer extends AsyncDisposable {
  /** `https://127.0.0.1:6444` */
  readonly url: string;
  /** PEM. */
  readonly caCertificate: string;
  /** The administrator's. */
  readonly token: string;
  readonly kubeconfigPath: string;
  close(): Promise<void>;
}

/**
 * Starts the embedded Kubernetes API. It resolves when requests are answered.
 *
 * @throws {ServerError} for whatever the user can set right: a data directory in use, a busy port, a damaged database
 */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const clock = options.clock ?? new SystemClock();
  await using stack = new AsyncDisposableStack();
  const dataDir = stack.use(new DataDir(options.dataDir));
  const certificate = await serverCertificate(dataDir.paths.certificates, clock.now());
  const token = administratorToken(dataDir.paths.token);
  const authenticator = new Authenticator();
  authenticator.add(token, { name: "kubernetes-admin", groups: [MASTERS_GROUP] });
  for (const { token, user } of options.tokenFile ? readTokenFile(options.tokenFile) : []) {
    authenticator.add(token, user);
  }

  const database = new Database(options.ephemeral ? ":memory:" : dataDir.paths.database);
  // Each run leaves several Events for an hour, which hardly anyone asks for.
  const storage = new Storage(database, clock, { seldomRead: [EVENTS.storage] });
  stack.defer(() => storage.close());
  const advice = { ...options.advice, "apiextensions.k8s.io/v1 CustomResourceDefinition": ruleAdvice(options.checks) };
  const registry = new Registry([...BUILT_IN_KINDS, ...REVIEWS, ...options.kinds ?? []], { ...options, advice });
  const hub = new WatchHub(storage, clock);
  stack.defer(() => hub.close());
  const { podLogs, podSessions, mayAlso } = options;
  const context: ServerContext = { storage, registry, hub, clock, podLogs, podSessions, mayAlso };
  stack.use(new CustomResources(context));
  await createDefaults(context);
  const controllers = options.controllers ?? ["gc"];
  if (controllers.includes("gc")) {
    stack.use(new GarbageCollector(context));
    stack.use(new NamespaceController(context));
  }
  const inEachNamespace = [
    ...controllers.includes("serviceaccount") ? [DEFAULT_SERVICE_ACCOUNT] : [],
    ...controllers.includes("root-ca-cert-publisher") ? [rootCaConfigMap(certificate.caCertificate)] : [],
  ];
  if (inEachNamespace.length > 0) stack.use(new NamespaceContents(context, inEachNamespace));
  const housekeeping = new Housekeeping(storage, clock);
  stack.defer(() => housekeeping.close());

  const api = new Api(context, { isReady: options.isReady ?? (() => true), pages: options.pages ?? {} });
  const audit = options.auditLogPath ? stack.use(new AuditLog(options.auditLogPath, clock)) : undefined;
  const handle = (request: ApiRequest) => api.handle(request);
  const server = new HttpsServer({
    port: options.port ?? 0,
    clock,
    certificate: certificate.certificate,
    privateKey: certificate.privateKey,
    authenticator,
    handle: audit?.over(handle) ?? handle,
  });
  stack.defer(() => server.close());
  stack.use(keepCertificate(dataDir.paths.certificates, clock, server, certificate.expiresAt));
  await publishService(context, server.port);
  const url = `https://127.0.0.1:${server.port}`;
  writeKubeconfig(dataDir.paths.kubeconfig, { server: url, caCertificate: certificate.caCertificate, token });

  const resources = stack.move();
  let closing: Promise<void> | undefined;
  const close = () => closing ??= resources.disposeAsync();
  return {
    url,
    caCertificate: certificate.caCertificate,
    token,
    kubeconfigPath: dataDir.paths.kubeconfig,
    close,
    [Symbol.asyncDispose]: close,
  };
}
