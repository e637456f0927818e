import { assertEquals } from "@std/assert";
import { registryAuth } from "../../../../src/kubelet/engine/images/registry_auth.ts";
import { temporaryFolder } from "../../../support/program.ts";
import { test } from "../../../support/test.ts";

test("Images are pulled with what docker login has written down, and with nothing where it has not", async () => {
  await using folder = await temporaryFolder();
  const env = { DOCKER_CONFIG: folder.path };
  const authFor = (image: string) => {
    const { "x-registry-auth": text } = registryAuth(image, env);
    return text && JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" })));
  };
  assertEquals(authFor("file.example/a"), undefined);
  const named = btoa(String.fromCharCode(...new TextEncoder().encode("me:s:é")));
  const auths = { "file.example": { auth: named }, "https://index.docker.io/v1/": { auth: "", identitytoken: "t" } };
  Deno.writeTextFileSync(`${folder.path}/config.json`, JSON.stringify({ auths, credsStore: "kept" }));
  assertEquals(authFor("file.example/a:1"), { username: "me", password: "s:é" });
  assertEquals(authFor("docker.io/library/a"), { identitytoken: "t" });
  assertEquals(authFor("other.example/a"), undefined);
  Deno.writeTextFileSync(`${folder.path}/config.json`, "{");
  assertEquals(authFor("file.example/a"), undefined);
});
