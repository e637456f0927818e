#!/bin/sh
# Compiles dist/cronjob-controller for this machine. Run by `deno task compile`; further arguments go to `deno compile`.
#
# The program is bundled into one file first: embedded as packages, @kubernetes/client-node alone would cost 60 MB of
# file and 110 MB of memory. DENORT_BIN names the runtime to embed where Deno's download host is out of reach; it must be
# of the same version as the deno that runs this.
set -eu
cd "$(dirname "$0")/.."
mkdir -p dist
deno bundle --quiet --platform deno --output dist/main.js main.ts
deno compile --quiet --no-check --no-prompt --allow-all --output dist/cronjob-controller "$@" dist/main.js
