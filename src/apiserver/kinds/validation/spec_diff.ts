import { ownValue } from "../../../runtime/own_value.ts";
import { hunksOf } from "../../line_diff.ts";
import type { Json } from "../../resource_kind.ts";
import type { FieldSchema } from "../../schema/field_schema.ts";
import { type Scalar, SCALARS } from "../../schema/scalars.ts";

/**
 * Returns where two objects differ, as kube-apiserver shows it in messages: a unified diff of the two written out with
 * every field of their Go struct.
 */
export function structDiff(before: Json, after: Json, schema: FieldSchema): string {
  return hunksOf(dump(before, schema), dump(after, schema)).map((line) => `${line}\n`).join("");
}

function dump(value: Json, schema: FieldSchema): string[] {
  return JSON.stringify(asStruct(value, schema), null, 1).split("\n");
}

/** With Go's names, and all fields: absent ones with what Go holds in their place. */
export function asStruct(value: unknown, schema: FieldSchema): unknown {
  if (value === undefined || value === null) return absent(schema);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map((
          [name, field],
        ) => [goName(name), asStruct((value as Json)[name], field)]),
      );
    case "list":
      return (value as unknown[]).map((item) => asStruct(item, schema.items!));
    case "map":
      return Object.fromEntries(
        Object.entries(value as Json).sort(([a], [b]) => a < b ? -1 : 1)
          .map(([key, item]) => [key, asStruct(item, schema.values!)]),
      );
    default:
      return value;
  }
}

function absent({ type, presence }: FieldSchema): unknown {
  const scalar = ownValue<Scalar>(SCALARS, type);
  return scalar?.omitsZero && presence !== "pointer" ? scalar.zero : null;
}

const SPECIAL_NAMES: Readonly<Record<string, string>> = {
  tty: "TTY",
  dnsPolicy: "DNSPolicy",
  dnsConfig: "DNSConfig",
  seLinuxOptions: "SELinuxOptions",
  uid: "UID",
  apiVersion: "APIVersion",
  ip: "IP",
  fsGroup: "FSGroup",
  fsGroupChangePolicy: "FSGroupChangePolicy",
  fsType: "FSType",
  pdName: "PDName",
  httpGet: "HTTPGet",
  httpHeaders: "HTTPHeaders",
  tcpSocket: "TCPSocket",
  grpc: "GRPC",
  awsElasticBlockStore: "AWSElasticBlockStore",
  gcePersistentDisk: "GCEPersistentDisk",
  cephfs: "CephFS",
  csi: "CSI",
  fc: "FC",
  iscsi: "ISCSI",
  nfs: "NFS",
  rbd: "RBD",
  storageos: "StorageOS",
};

function goName(name: string): string {
  return SPECIAL_NAMES[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}
