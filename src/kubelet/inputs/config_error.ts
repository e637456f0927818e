/** How a problem with the start of a container is reported, unless it is one with its configuration. */
export const PROBLEMS = {
  /** A volume cannot be filled, or not be mounted. */
  mount: { state: "ContainerCreating", reason: "FailedMount" },
  /** The sandbox of a Pod cannot be made. */
  sandbox: { state: "ContainerCreating", reason: "FailedCreatePodSandBox" },
  /** The engine cannot make the container. None of its program has run. */
  create: { state: "CreateContainerError" },
  pull: { state: "ErrImagePull" },
  neverPull: { state: "ErrImageNeverPull", reason: "ErrImageNeverPull" },
} as const;

/**
 * A container cannot be started as it is configured now, but could later: a ConfigMap may still be created. `message` is
 * worded as the kubelet's.
 */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
  /** Reason of the container's state. */
  readonly state: string;
  /** Of the Event. */
  readonly reason: string;

  constructor(message: string, options: ErrorOptions & { readonly state?: string; readonly reason?: string } = {}) {
    super(message, options);
    this.state = options.state ?? "CreateContainerConfigError";
    this.reason = options.reason ?? "Failed";
  }
}
