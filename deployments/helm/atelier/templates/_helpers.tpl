{{/* The base name of all resources: at most 30 characters, since KubeRay adds 24. */}}
{{- define "atelier.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) .Values.fullnameOverride -}}
{{- if gt (len $full) 30 -}}
{{- fail (printf "The name %q is longer than 30 characters: set fullnameOverride to a shorter one." $full) -}}
{{- end -}}
{{- $full -}}
{{- end -}}

{{/* Selector labels: (list root component). They never change. */}}
{{- define "atelier.selector" -}}
app.kubernetes.io/name: {{ (index . 0).Chart.Name }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Labels of everything: (list root component). */}}
{{- define "atelier.labels" -}}
{{ include "atelier.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
app.kubernetes.io/part-of: atelier
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* An image: (list root image). */}}
{{- define "atelier.image" -}}
{{- $i := index . 1 -}}
{{ $i.repository }}:{{ default (index . 0).Chart.AppVersion $i.tag }}{{ with $i.digest }}@{{ . }}{{ end }}
{{- end -}}

{{- define "atelier.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "atelier.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{/* The reference to a secret: (list root {name, key} default key). */}}
{{- define "atelier.secretKey" -}}
{{- $ref := default dict (index . 1) -}}
name: {{ default (index . 0).Values.secretName $ref.name | quote }}
key: {{ default (index . 2) $ref.key | quote }}
{{- end -}}

{{/* An environment variable from a secret: (list root NAME {name, key}). */}}
{{- define "atelier.secretEnv" -}}
- name: {{ index . 1 }}
  valueFrom:
    secretKeyRef:
      {{- include "atelier.secretKey" (list (index . 0) (index . 2) (index . 1)) | nindent 6 }}
{{- end -}}

{{/* A value as text. YAML's numbers are parsed as floats, and a large one would be printed as 1e+06. */}}
{{- define "atelier.text" -}}
{{- if kindIs "float64" . }}{{ printf "%.0f" . }}{{ else }}{{ toString . }}{{ end -}}
{{- end -}}

{{/* The parts that run the program, with their queues. */}}
{{- define "atelier.parts" -}}
{{- $queues := ternary "gateway" "gateway,plan" .Values.plan.enabled -}}
gateway: {{ $queues }}
{{- if .Values.plan.enabled }}
plan: plan
{{- end }}
cpu: cpu
{{- if .Values.gpu.enabled }}
gpu: gpu
{{- end }}
{{- if .Values.program.enabled }}
program: program
{{- end }}
{{- end -}}

{{- define "atelier.redisHost" -}}{{ include "atelier.fullname" . }}-redis{{- end -}}
{{- define "atelier.s3Host" -}}{{ include "atelier.fullname" . }}-s3{{- end -}}
{{- define "atelier.toolsName" -}}{{ include "atelier.fullname" . }}-tools{{- end -}}

{{/* The URL of the tool server, "" if there is none. */}}
{{- define "atelier.toolsUrl" -}}
{{- if eq .Values.toolServer.mode "ray" -}}
http://{{ include "atelier.toolsName" . }}-serve-svc:8000
{{- else if eq .Values.toolServer.mode "external" -}}
{{ .Values.toolServer.external.url }}
{{- end -}}
{{- end -}}

{{/* The security context of every container. */}}
{{- define "atelier.locked" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The security context of the whole pod: (list uid gid). The program's sandbox for media
programs needs Landlock and a seccomp filter, which RuntimeDefault of containerd and CRI-O
allows. Under a profile that does not, they are unconfined, as "bot doctor" reports. */}}
{{- define "atelier.lockedPod" -}}
runAsNonRoot: true
runAsUser: {{ index . 0 }}
runAsGroup: {{ index . 1 }}
fsGroup: {{ index . 1 }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* The scheduling of a pod: (list root values component). */}}
{{- define "atelier.placing" -}}
{{- $root := index . 0 -}}
{{- $v := index . 1 -}}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $v.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $v.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $v.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $v.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "atelier.selector" (list $root (index $ 2)) | nindent 8 }}
  {{- end }}
{{- end -}}

{{/* The environment of gateway and workers: (list root part). The part program gets only the
secrets of Redis and S3. */}}
{{- define "atelier.env" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- $v := $root.Values -}}
{{- if eq $v.redis.mode "bundled" }}
{{ include "atelier.secretEnv" (list $root "REDIS_PASSWORD" $v.redis.bundled.password) }}
- name: REDIS_URL
  value: redis://:$(REDIS_PASSWORD)@{{ include "atelier.redisHost" $root }}:6379/0
{{- else }}
{{ include "atelier.secretEnv" (list $root "REDIS_URL" $v.redis.external.url) }}
{{- end }}
{{- if eq $v.s3.mode "bundled" }}
- name: AWS_ACCESS_KEY_ID
  value: {{ $v.s3.bundled.accessKey | quote }}
{{ include "atelier.secretEnv" (list $root "AWS_SECRET_ACCESS_KEY" $v.s3.bundled.secretKey) }}
{{- else if $v.s3.external.accessKeyId.key }}
{{ include "atelier.secretEnv" (list $root "AWS_ACCESS_KEY_ID" $v.s3.external.accessKeyId) }}
{{ include "atelier.secretEnv" (list $root "AWS_SECRET_ACCESS_KEY" $v.s3.external.secretAccessKey) }}
{{- end }}
{{- if ne $part "program" }}
{{- if and (ne $v.toolServer.mode "none") $v.toolServer.token.key }}
{{ include "atelier.secretEnv" (list $root "TOOL_SERVER_TOKEN" $v.toolServer.token) }}
{{- end }}
{{- range $name, $ref := $v.secrets }}
{{- if or (eq $part "gateway") (not (has $name (list "DISCORD_TOKEN" "SLACK_BOT_TOKEN" "SLACK_APP_TOKEN" "SLACK_SIGNING_SECRET"))) }}
{{ include "atelier.secretEnv" (list $root $name $ref) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The pod of a part: (list root part queues). */}}
{{- define "atelier.pod" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- $queues := index . 2 -}}
{{- $values := $root.Values -}}
{{- $v := index $values $part -}}
{{- $alone := eq $part "program" -}}
metadata:
  labels:
    {{- include "atelier.labels" (list $root $part) | nindent 4 }}
    {{- with $v.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # What is set is read at the start: a change of it starts new pods.
    checksum/settings: {{ include (print $root.Template.BasePath "/settings.yaml") $root | sha256sum }}
    {{- with $v.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "atelier.serviceAccount" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  # The pause process reaps what a media program leaves behind.
  shareProcessNamespace: true
  terminationGracePeriodSeconds: {{ add (int $v.graceSeconds) 30 }}
  securityContext:
    {{- include "atelier.lockedPod" (list 10001 10001) | nindent 4 }}
  {{- include "atelier.placing" (list $root $v $part) | nindent 2 }}
  containers:
    - name: bot
      image: {{ include "atelier.image" (list $root $values.image) | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args:
        - serve
        - --queues={{ $queues }}
        {{- if ne $part "gateway" }}
        - --adapters=none
        {{- else if $v.adapters }}
        - --adapters={{ join "," $v.adapters }}
        {{- end }}
        {{- with $v.concurrency }}
        - --concurrency={{ include "atelier.text" . }}
        {{- end }}
        - --grace={{ int $v.graceSeconds }}s
      env:
        {{- include "atelier.env" (list $root $part) | trim | nindent 8 }}
      envFrom:
        - configMapRef:
            name: {{ include "atelier.fullname" $root }}-settings{{ if $alone }}-program{{ end }}
      {{- if $alone }}
      # It has no password, so it listens on its own address only and is asked from within.
      {{- range $probe := list "startup" "liveness" "readiness" }}
      {{ $probe }}Probe:
        exec: {command: [bot, health]}
        periodSeconds: {{ ternary 2 10 (eq $probe "startup") }}
        timeoutSeconds: 5
        failureThreshold: {{ index (dict "startup" 60 "liveness" 6 "readiness" 2) $probe }}
      {{- end }}
      {{- else }}
      ports:
        - name: http
          containerPort: 8080
      startupProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # State, files, queues and the connections of the platforms: 3 s for each.
      readinessProbe:
        httpGet: {path: /readyz, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 2
      {{- end }}
      resources:
        {{- toYaml $v.resources | nindent 8 }}
      securityContext:
        {{- include "atelier.locked" . | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        - {name: data, mountPath: /data}
        {{- if and $values.backends (not $alone) }}
        - {name: backends, mountPath: /etc/atelier/backends, readOnly: true}
        {{- end }}
        {{- if and $values.catalogue (not $alone) }}
        - {name: catalogue, mountPath: /etc/atelier/catalogue, readOnly: true}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: {{ $values.volumes.tmpSizeLimit }}
        {{- with $values.volumes.tmpMedium }}
        medium: {{ . }}
        {{- end }}
    - name: data
      emptyDir:
        sizeLimit: {{ $values.volumes.dataSizeLimit }}
    {{- if and $values.backends (not $alone) }}
    - name: backends
      configMap:
        name: {{ include "atelier.fullname" $root }}-settings-files
        items: [{key: backends.yaml, path: backends.yaml}]
    {{- end }}
    {{- if and $values.catalogue (not $alone) }}
    - name: catalogue
      configMap:
        name: {{ include "atelier.fullname" $root }}-settings-files
        items:
          {{- range $file, $_ := $values.catalogue }}
          - {key: {{ printf "tool.%s" $file | quote }}, path: {{ $file | quote }}}
          {{- end }}
    {{- end }}
{{- end -}}
