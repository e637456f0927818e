-- Pauses the schedule until it is resumed. It is an annotation, so that a sync leaves it alone.
local os = require("os")
obj.metadata.annotations = obj.metadata.annotations or {}
obj.metadata.annotations["cronjob-controller.dev/pause"] =
  os.date('!{"by":"Argo CD","since":"%Y-%m-%dT%H:%M:%SZ","id":"argocd-%Y%m%dT%H%M%SZ"}')
return obj
