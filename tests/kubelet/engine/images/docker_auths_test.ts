import { assertEquals } from "@std/assert";
import { authFor, ownDockerAuths } from "../../../../src/kubelet/engine/images/docker_auths.ts";
import { temporaryFolder } from "../../../support/program.ts";
import { test } from "../../../support/test.ts";

test("Images are pulled with what docker login has written down, and with nothing where it has not", async () => {
  await using folder = await temporaryFolder();
  const env = { DOCKER_CONFIG: folder.path };
  assertEquals(ownDockerAuths(env), {});
  const [file, hub] = [{ auth: btoa("me:secret") }, { identitytoken: "t" }];
  const auths = { "file.example": file, "https://index.docker.io/v1/": hub };
  Deno.writeTextFileSync(`${folder.path}/config.json`, JSON.stringify({ auths, credsStore: "kept" }));
  assertEquals(authFor("file.example/a:1", ownDockerAuths(env)), file);
  assertEquals(authFor("docker.io/library/a", ownDockerAuths(env)), hub);
  assertEquals(authFor("other.example/a", ownDockerAuths(env)), undefined);
  Deno.writeTextFileSync(`${folder.path}/config.json`, "{");
  assertEquals(ownDockerAuths(env), {});
});
