import type { EpochMs } from "../base/epoch_ms.ts";

export interface PodLogOptions {
  readonly container: string;
  /** Go on until the container has ended. */
  readonly follow: boolean;
  /** Of the run before the last one. */
  readonly previous: boolean;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly sinceTime?: EpochMs | undefined;
  /** Begin each line with its time. */
  readonly timestamps: boolean;
}

/** Where the server gets the output of containers: from what runs them. */
export interface PodLogSource {
  /**
   * @throws an error with a numeric `code` (an HTTP status: 400 for a container that has not started) and a message for the
   *   client
   */
  open(
    pod: { namespace: string; name: string; uid: string },
    options: PodLogOptions,
  ): Promise<ReadableStream<Uint8Array>>;
}
