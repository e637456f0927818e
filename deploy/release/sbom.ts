/** A package of npm's that is part of the program. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** As npm's registry has it: `sha512-…` in base64. */
  readonly integrity: string;
  /** As SPDX names it, where the package says so. */
  readonly license: string | undefined;
}

/** The answer of `deno info --json`, as far as it is read. */
export interface DenoInfo {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<Record<string, NpmPackage>>;
}

interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
}

/** The packages that a program is made of: those that it imports, and those that these depend on, by their ids. */
export function packagesOf({ modules, npmPackages }: DenoInfo): string[] {
  const found = new Set<string>();
  const add = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    npmPackages[id]!.dependencies.forEach(add);
  };
  for (const { npmPackage } of modules) if (npmPackage !== undefined) add(npmPackage);
  return [...found].sort();
}

/** A list of what a release is made of, in SPDX 2.3. */
export function spdxOf(
  { version, repository, created, components }: {
    version: string;
    repository: string;
    /** RFC 3339. */
    created: string;
    components: readonly Component[];
  },
): object {
  const name = `cronjob-controller-${version}`;
  const program = "SPDXRef-cronjob-controller";
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name,
    documentNamespace: `${repository}/releases/tag/v${version}/${name}.spdx.json`,
    creationInfo: { created, creators: ["Tool: deploy/release"] },
    packages: [
      packageOf(program, { name: "cronjob-controller", version, license: "Apache-2.0" }, repository),
      ...components.map((component) => ({
        ...packageOf(refOf(component), component, "NOASSERTION"),
        checksums: [checksumOf(component)],
        externalRefs: [{
          referenceCategory: "PACKAGE-MANAGER",
          referenceType: "purl",
          referenceLocator: `pkg:npm/${component.name.replace("@", "%40")}@${component.version}`,
        }],
      })),
    ],
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: program },
      ...components.map((component) => ({
        spdxElementId: program,
        relationshipType: "CONTAINS",
        relatedSpdxElement: refOf(component),
      })),
    ],
  };
}

function packageOf(id: string, { name, version, license }: Omit<Component, "integrity">, downloadLocation: string) {
  return {
    SPDXID: id,
    name,
    versionInfo: version,
    downloadLocation,
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license ?? "NOASSERTION",
    copyrightText: "NOASSERTION",
  };
}

function refOf({ name, version }: Component): string {
  return `SPDXRef-npm-${name}-${version}`.replaceAll(/[^A-Za-z0-9.-]/g, "-");
}

function checksumOf({ name, integrity }: Component): { algorithm: string; checksumValue: string } {
  const [algorithm, base64 = ""] = integrity.split("-");
  if (algorithm !== "sha512") throw new Error(`The checksum of ${name} is a ${algorithm}`);
  return { algorithm: "SHA512", checksumValue: Uint8Array.fromBase64(base64).toHex() };
}
