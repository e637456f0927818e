import { ApiError } from "../api_error.ts";
import { type Credential, type CredentialSource, isSameCredential } from "../credentials.ts";
import type { Call, Layer } from "./call.ts";
import type { ObserveLayer } from "./observe_layer.ts";

/** Gives a call its credential. After a 401 the call is sent once more, if there is another credential. */
export function credential(source: CredentialSource, observe: ObserveLayer): Layer {
  return (next) => async (call) => {
    const current = source.current();
    call.credential = current instanceof Promise ? await issued(current, call, observe) : current;
    try {
      return await next(call);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 401) throw error;
      const renewed = await renew(source, call, observe);
      if (renewed === undefined) throw error;
      call.credential = renewed;
      return await next(call);
    }
  };
}

/** Returns a credential other than the one that the server answered 401 to, if there is one. */
async function renew(
  source: CredentialSource,
  call: Call,
  observe: ObserveLayer,
): Promise<Credential | undefined> {
  const refused = call.credential;
  const latest = await issued(source.current(), call, observe);
  // Another request that was refused for the same credential may have renewed it.
  if (latest !== refused) return latest;
  source.invalidate();
  const renewed = await issued(source.current(), call, observe);
  return isSameCredential(renewed, refused) ? undefined : renewed;
}

/** Waits for a credential. A request that gets none is reported as one without an answer. */
async function issued(
  credential: Credential | Promise<Credential>,
  call: Call,
  observe: ObserveLayer,
): Promise<Credential> {
  observe.begins(call);
  try {
    return await credential;
  } catch (error) {
    observe.unanswered(call);
    throw error;
  }
}
