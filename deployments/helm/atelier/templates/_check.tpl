{{/* Rejects values that cannot work. */}}
{{- define "atelier.check" -}}
{{- $v := .Values -}}
{{- $names := concat (keys $v.settings) (keys $v.environment) -}}

{{- if not (regexMatch "^[a-z]" (include "atelier.fullname" .)) -}}
{{- fail (printf "The name %q does not begin with a letter: set fullnameOverride to one that does." (include "atelier.fullname" .)) -}}
{{- end -}}

{{- if not (or (hasKey $v.secrets "WEB_PASSWORD") $v.settings.WEB_USER_HEADER) -}}
{{- fail "The web page would have no login: set secrets.WEB_PASSWORD, or settings.WEB_USER_HEADER behind a proxy that authenticates." -}}
{{- end -}}
{{- if and $v.settings.WEB_USER_HEADER (not $v.settings.WEB_PROXIES) -}}
{{- fail "settings.WEB_USER_HEADER is accepted only from the proxies in settings.WEB_PROXIES, which is not set: set it to their addresses." -}}
{{- end -}}

{{- $places := dict
  "ATELIER_DATA" "volumes" "ATELIER_CATALOGUE" "catalogue" "ATELIER_LISTEN" "gateway.service" "ATELIER_GRACE" "graceSeconds of each part"
  "REDIS_URL" "redis" "S3_BUCKET" "s3.bucket" "AWS_REGION" "s3" "AWS_ENDPOINT_URL_S3" "s3" "AWS_ACCESS_KEY_ID" "s3" "AWS_SECRET_ACCESS_KEY" "s3"
  "BACKENDS_FILE" "backends" "TOOL_SERVER_URL" "toolServer" "TOOL_SERVER_TOKEN" "toolServer" -}}
{{- range $name, $_ := merge (dict) $v.secrets $v.environment -}}
  {{- with index $places $name -}}
    {{- fail (printf "%s is set by the chart: configure it with %s." $name .) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $_ := $v.environment -}}
  {{- if regexMatch "(PASSWORD|SECRET|TOKEN|API_KEY)$" (upper $name) -}}
    {{- fail (printf "environment.%s is a secret: put it into secrets instead." $name) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $ref := $v.secrets -}}
  {{- if has $name $names -}}
    {{- fail (printf "%s is in secrets, and in settings or environment too: remove one of them." $name) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $_ := $v.environment -}}
  {{- if hasKey $v.settings $name -}}
    {{- fail (printf "%s is in settings and in environment: remove one of them." $name) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $value := $v.settings -}}
  {{- if regexMatch "://[^/]*@" (toString $value) -}}
    {{- fail (printf "settings.%s contains a password, but settings are not secret: put it into secrets instead." $name) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $value := $v.environment -}}
  {{- if regexMatch "://[^/]*@" (toString $value) -}}
    {{- fail (printf "environment.%s contains a password, but environment is not secret: put it into secrets instead." $name) -}}
  {{- end -}}
{{- end -}}

{{- $slack := hasKey $v.secrets "SLACK_BOT_TOKEN" -}}
{{- if and $slack (not (or (hasKey $v.secrets "SLACK_APP_TOKEN") (hasKey $v.secrets "SLACK_SIGNING_SECRET"))) -}}
{{- fail "secrets has only SLACK_BOT_TOKEN: add SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (events over HTTP)." -}}
{{- end -}}
{{- if and (hasKey $v.secrets "SLACK_SIGNING_SECRET") (not (hasKey $v.secrets "SLACK_APP_TOKEN")) (not $v.ingress.enabled) (eq $v.gateway.service.type "ClusterIP") -}}
{{- fail "Slack sends its events to the gateway (SLACK_SIGNING_SECRET without SLACK_APP_TOKEN), but cannot reach it: set ingress.enabled, or gateway.service.type." -}}
{{- end -}}

{{- if $v.ingress.enabled -}}
  {{- if not $v.ingress.host -}}{{- fail "ingress.enabled needs ingress.host, the host name of the web page." -}}{{- end -}}
  {{- if and $v.ingress.tlsSecret (not $v.ingress.tls) -}}{{- fail "ingress.tlsSecret is set, but ingress.tls is false: https needs both." -}}{{- end -}}
{{- end -}}

{{- if eq $v.s3.mode "external" -}}
  {{- if ne (empty $v.s3.external.accessKeyId.key) (empty $v.s3.external.secretAccessKey.key) -}}
    {{- fail "s3.external.accessKeyId and s3.external.secretAccessKey belong together: set the keys of both, or of neither." -}}
  {{- end -}}
{{- end -}}

{{- if $v.keda.enabled -}}
  {{- if eq $v.redis.mode "external" -}}
    {{- if not $v.redis.external.addresses -}}
      {{- fail "keda.enabled needs redis.external.addresses, host and port of Redis: KEDA does not read the URL." -}}
    {{- end -}}
    {{- if and (eq $v.redis.external.type "redis-sentinel") (not $v.redis.external.sentinelMaster) -}}
      {{- fail "redis.external.type redis-sentinel needs redis.external.sentinelMaster." -}}
    {{- end -}}
    {{- if and (eq $v.redis.external.type "redis") (gt (len $v.redis.external.addresses) 1) -}}
      {{- fail "redis.external.type redis is one server, but redis.external.addresses has several: set redis-cluster or redis-sentinel." -}}
    {{- end -}}
  {{- end -}}
  {{- range $part, $_ := omit (include "atelier.parts" . | fromYaml) "gateway" -}}
    {{- $p := index $v $part -}}
    {{- if gt (int $p.minReplicas) (int $p.maxReplicas) -}}
      {{- fail (printf "%s.minReplicas is %d, which is more than %s.maxReplicas, %d." $part (int $p.minReplicas) $part (int $p.maxReplicas)) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}

{{- if ne $v.toolServer.mode "none" -}}
  {{- if not $v.gpu.enabled -}}
    {{- fail (printf "toolServer.mode is %s, but gpu.enabled is false: no worker would use that server. Set gpu.enabled." $v.toolServer.mode) -}}
  {{- end -}}
{{- end -}}
{{- if and (eq $v.toolServer.mode "external") (not $v.toolServer.external.url) -}}
{{- fail "toolServer.mode external needs toolServer.external.url." -}}
{{- end -}}
{{- if and (eq $v.toolServer.mode "external") (regexMatch "://[^/]*@" $v.toolServer.external.url) -}}
{{- fail "toolServer.external.url contains a password, but values are not secret: use toolServer.token instead." -}}
{{- end -}}
{{- if and (eq $v.toolServer.mode "ray") (not $v.toolServer.token.key) -}}
{{- fail "toolServer.mode ray needs toolServer.token: other pods can reach the server, so it requires one." -}}
{{- end -}}
{{- if and (eq $v.toolServer.mode "ray") (not $v.networkPolicy.enabled) (not $v.toolServer.ray.auth) -}}
{{- fail "toolServer.ray.auth and networkPolicy.enabled are both false: anybody who can reach Ray could run anything on its pods. Set one of them to true." -}}
{{- end -}}

{{- if $v.serviceMonitor.enabled -}}
  {{- if not (hasKey $v.secrets "WEB_PASSWORD") -}}
    {{- fail "serviceMonitor.enabled needs secrets.WEB_PASSWORD: /metrics requires it." -}}
  {{- end -}}
  {{- if and $v.networkPolicy.enabled (not $v.networkPolicy.metricsFrom) -}}
    {{- fail "serviceMonitor.enabled needs networkPolicy.metricsFrom, so that Prometheus may reach the pods." -}}
  {{- end -}}
{{- end -}}
{{- end -}}
