import { assertEquals } from "@std/assert";
import protobuf from "protobufjs";
import { BUILT_IN_KINDS } from "../../../src/apiserver/kinds/all.ts";
import { apiVersionOf } from "../../../src/kube/resource.ts";
import { answerSchema, PROTOBUF_TYPE } from "../../../src/apiserver/protobuf/answers.ts";
import { decodeProtobuf, encodeProtobuf } from "../../../src/apiserver/protobuf/envelope.ts";
import type { Json, ResourceKind } from "../../../src/apiserver/resource_kind.ts";
import type { FieldSchema } from "../../../src/apiserver/schema/field_schema.ts";
import { POLICY_TYPES } from "../../../src/apiserver/schema/types/authorization.ts";
import { META_TYPES } from "../../../src/apiserver/schema/types/meta.ts";
import { must } from "../../support/expected.ts";

/** What the server refused. */
export class Refused extends Error {
  constructor(readonly code: number, readonly reason: string, message: string) {
    super(`${code} ${reason}: ${message}`);
  }
}

/** What a request may say besides its object. */
interface Request {
  readonly method?: string;
  readonly query?: Record<string, string>;
  readonly body?: BodyInit;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** Sends and takes what client-go's typed clients do with protobuf as their content type, as Kubernetes' suite has it. */
export class ProtobufClient implements Disposable {
  readonly #server: string;
  readonly #token: string;
  readonly #http: Deno.HttpClient;

  /** @param kubeconfig as the program writes it */
  constructor(kubeconfig: string) {
    const { clusters: [{ cluster }], users: [{ user }] } = JSON.parse(Deno.readTextFileSync(kubeconfig));
    this.#server = cluster.server;
    this.#token = user.token;
    this.#http = Deno.createHttpClient({ caCerts: [atob(cluster["certificate-authority-data"])] });
  }

  [Symbol.dispose](): void {
    this.#http.close();
  }

  /** Any path, with JSON. */
  async json(path: string, query: Record<string, string> = {}): Promise<Json> {
    return await (await this.#send(path, { query, accept: "application/json" })).json();
  }

  /** The objects of a kind in a namespace, in all with `""`. */
  resource(plural: string, namespace?: string): ResourceClient {
    const kind = must(BUILT_IN_KINDS.find((one) => one.plural === plural && one.group !== "events.k8s.io"));
    const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
    const path = namespace ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
    return new ResourceClient(kind, path, (path, request) => this.#send(path, request));
  }

  async #send(path: string, { query = {}, contentType, accept = `${PROTOBUF_TYPE}, */*`, ...init }: Request) {
    const headers = new Headers({ accept, authorization: `Bearer ${this.#token}`, "user-agent": "e2e.test/v1.36.0" });
    if (contentType) headers.set("content-type", contentType);
    const search = new URLSearchParams(query).toString();
    const url = `${this.#server}${path}${search && `?${search}`}`;
    const response = await fetch(url, { ...init, headers, client: this.#http });
    if (response.ok) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const status = response.headers.get("content-type") === PROTOBUF_TYPE
      ? decodeProtobuf(bytes, () => META_TYPES.struct("Status"))
      : JSON.parse(new TextDecoder().decode(bytes));
    throw new Refused(response.status, status.reason ?? "", status.message ?? "");
  }
}

type Send = (path: string, request: Request) => Promise<Response>;

/** The objects of one kind. */
export class ResourceClient {
  readonly #kind: ResourceKind;
  readonly #path: string;
  readonly #send: Send;

  constructor(kind: ResourceKind, path: string, send: Send) {
    [this.#kind, this.#path, this.#send] = [kind, path, send];
  }

  async create(object: Json): Promise<Json> {
    return await this.#write("POST", this.#path, object, this.#kind.schema);
  }

  async get(name: string): Promise<Json> {
    return await this.#read(await this.#send(`${this.#path}/${name}`, {}));
  }

  /** What a Pod has written. */
  async log(name: string): Promise<string> {
    return await (await this.#send(this.#at(name, "log"), {})).text();
  }

  async list(query: Record<string, string> = {}): Promise<Json & { items: Json[] }> {
    const list = await this.#read(await this.#send(this.#path, { query }));
    return { ...list, items: list.items ?? [] };
  }

  async update(object: Json, subresource?: string): Promise<Json> {
    return await this.#write("PUT", this.#at(object.metadata.name, subresource), object, this.#kind.schema);
  }

  /** Reads, changes and replaces again while others were faster. */
  async edit(name: string, change: (object: Json) => void, subresource?: string): Promise<Json> {
    for (let tries = 0;; tries++) {
      const object = await this.get(name);
      change(object);
      try {
        return await this.update(object, subresource);
      } catch (error) {
        if (!(error instanceof Refused && error.reason === "Conflict" && tries < 5)) throw error;
      }
    }
  }

  async patch(name: string, patch: Json, options: { type: "merge" | "strategic-merge"; subresource?: string }) {
    return await this.#read(
      await this.#send(this.#at(name, options.subresource), {
        method: "PATCH",
        body: JSON.stringify(patch),
        contentType: `application/${options.type}-patch+json`,
      }),
    );
  }

  async delete(name: string, options: Json = {}): Promise<void> {
    await this.#delete(this.#at(name), options);
  }

  async deleteCollection(options: Json, query: Record<string, string>): Promise<void> {
    await this.#delete(this.#path, options, query);
  }

  /** `pods/NAME/eviction` takes an object of a group of its own. */
  async evict(name: string, namespace: string): Promise<void> {
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
    const response = await this.#send(this.#at(name, "eviction"), {
      method: "POST",
      body: encodeProtobuf(eviction, POLICY_TYPES.struct("Eviction")),
      contentType: PROTOBUF_TYPE,
    });
    await response.body?.cancel();
  }

  /** Its events until `isLast`, or until the server ends it; in protobuf, each behind its length. */
  async *watch(query: Record<string, string>): AsyncGenerator<{ type: string; object: Json }> {
    const end = new AbortController();
    const response = await this.#send(this.#path, { query: { watch: "true", ...query }, signal: end.signal });
    assertEquals(response.headers.get("content-type"), `${PROTOBUF_TYPE};stream=watch`);
    let bytes = new Uint8Array();
    try {
      for await (const part of must(response.body ?? undefined)) {
        bytes = new Uint8Array([...bytes, ...part]);
        for (;;) {
          if (bytes.length < 4) break;
          const length = new DataView(bytes.buffer).getUint32(0);
          if (bytes.length < 4 + length) break;
          yield this.#event(bytes.slice(4, 4 + length));
          bytes = bytes.slice(4 + length);
        }
      }
    } finally {
      end.abort();
    }
  }

  #event(message: Uint8Array): { type: string; object: Json } {
    const reader = protobuf.Reader.create(message);
    assertEquals(reader.uint32() >>> 3, 1);
    const type = reader.string();
    assertEquals(reader.uint32() >>> 3, 2);
    const extension = protobuf.Reader.create(reader.bytes());
    assertEquals(extension.uint32() >>> 3, 1);
    return { type, object: this.#decode(extension.bytes()) };
  }

  async #write(method: string, path: string, object: Json, schema: FieldSchema): Promise<Json> {
    const typed = { apiVersion: apiVersionOf(this.#kind), kind: this.#kind.kind, ...object };
    const body = encodeProtobuf(typed, schema);
    return await this.#read(await this.#send(path, { method, body, contentType: PROTOBUF_TYPE }));
  }

  async #delete(path: string, options: Json, query: Record<string, string> = {}): Promise<void> {
    const typed = { apiVersion: apiVersionOf(this.#kind), kind: "DeleteOptions", ...options };
    const body = encodeProtobuf(typed, META_TYPES.struct("DeleteOptions"));
    const response = await this.#send(path, { method: "DELETE", query, body, contentType: PROTOBUF_TYPE });
    assertEquals(response.headers.get("content-type"), PROTOBUF_TYPE);
    await response.body?.cancel();
  }

  async #read(response: Response): Promise<Json> {
    assertEquals(response.headers.get("content-type"), PROTOBUF_TYPE);
    return this.#decode(new Uint8Array(await response.arrayBuffer()));
  }

  #decode(bytes: Uint8Array): Json {
    return decodeProtobuf(bytes, (_apiVersion, name) => answerSchema(name, this.#kind));
  }

  #at(name: string, subresource?: string): string {
    return `${this.#path}/${name}${subresource ? `/${subresource}` : ""}`;
  }
}
