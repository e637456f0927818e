import { assertEquals } from "@std/assert";
import { secretsOf } from "../../src/kube/transport/request_secrets.ts";
import { test } from "../support/test.ts";

test("secretsOf() knows what a request is authenticated with, and the values of variables and Secrets in its body", () => {
  const credential = {
    token: "the-token",
    headers: { Authorization: "Basic dXNlcjpwYXNz" },
    clientCertificate: { certificate: "public", key: "the-key" },
  };
  const containers = [{ name: "main", env: [{ name: "A", value: "hunter22" }, { name: "B", value: 123456 }, null] }];
  const body = JSON.stringify({
    kind: "List",
    items: [
      { kind: "Job", spec: { template: { spec: { containers, initContainers: containers } } } },
      { kind: "Secret", data: { a: "c2VjcmV0" }, stringData: { b: "plain text" } },
      { kind: "ConfigMap", data: { a: "not secret" } },
    ],
  });
  assertEquals(
    new Set(secretsOf(credential, { body, action: "create jobs default/report" })),
    new Set([
      "the-token",
      "Basic dXNlcjpwYXNz",
      "dXNlcjpwYXNz",
      "the-key",
      "hunter22",
      "123456",
      "c2VjcmV0",
      "plain text",
    ]),
  );
});

test("secretsOf() leaves out what is too short to be one, and what names the object", () => {
  const env = [{ name: "DEBUG", value: "1" }, { name: "STAGE", value: "production" }, { name: "NONE" }];
  const body = JSON.stringify({ spec: { containers: [{ env }] } });
  assertEquals(secretsOf({}, { body, action: "create jobs production/report" }), []);
  assertEquals(secretsOf({}, { body, action: "create jobs default/report" }), ["production"]);
  assertEquals(secretsOf({}, { body: "no JSON", action: "" }), []);
});
