-- Ends what the action "pause" began, and a pause after failures in a row. It stays written when it ended: what came due
-- before that was not missed.
local os = require("os")
local annotations = obj.metadata.annotations or {}
local pause = annotations["cronjob-controller.dev/pause"]
local OURS = '{"by":"Argo CD","since":'
if pause ~= nil and pause > OURS and pause < OURS .. "~" then
  annotations["cronjob-controller.dev/pause"] =
    os.date('!{"by":"Argo CD","until":"%Y-%m-%dT%H:%M:%SZ","resumedBy":"Argo CD"}')
end
annotations["cronjob-controller.dev/resume"] = os.date("!argocd-%Y%m%dT%H%M%SZ")
obj.metadata.annotations = annotations
return obj
