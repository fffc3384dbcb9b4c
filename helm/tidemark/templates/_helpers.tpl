{{- define "tidemark.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- (contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name)) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change, by which pods are found. Takes { root, service }. */}}
{{- define "tidemark.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end -}}

{{- define "tidemark.labels" -}}
{{ include "tidemark.selector" . }}
app.kubernetes.io/part-of: tidemark
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "tidemark.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tidemark.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* A service's values over the defaults, as YAML. Takes { root, service }. */}}
{{- define "tidemark.service" -}}
{{- $own := get .root.Values.services .service -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (default dict $own)) | toYaml -}}
{{- end -}}

{{/* Takes { root, name, image }: name is the last part of the repository. */}}
{{- define "tidemark.image" -}}
{{- $v := .root.Values.image -}}
{{- $repository := printf "%s/%s" $v.repository .name -}}
{{- if $v.registry }}{{ $repository = printf "%s/%s" $v.registry $repository }}{{ end -}}
{{- $repository = default $repository .image.repository -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (.image.tag | default $v.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* What reads pages, by its image: a pod of another release reads them otherwise, though nothing else may have changed. */}}
{{- define "tidemark.release" -}}
{{- $scrape := include "tidemark.service" (dict "root" . "service" "scrape") | fromYaml -}}
{{- $scrape.image.digest | default $scrape.image.tag | default .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{/* One environment entry read from a Secret. Takes { root, key, from }. */}}
{{- define "tidemark.secretEnv" -}}
{{- $from := mergeOverwrite (deepCopy (default dict (get .root.Values.secrets .key))) (default dict .from) -}}
- name: {{ .key }}
  valueFrom:
    secretKeyRef:
      name: {{ default .root.Values.existingSecret $from.name }}
      key: {{ default .key $from.key }}
      {{- if $from.optional }}
      optional: true
      {{- end }}
{{- end -}}

{{/* A setting as text: numbers as they were written, not as 1e+06. */}}
{{- define "tidemark.text" -}}
{{- if kindIs "string" . }}{{ . | quote }}{{ else }}{{ . | toJson | quote }}{{ end -}}
{{- end -}}

{{/* Environment of a service. Takes { root, service, s }. */}}
{{- define "tidemark.env" -}}
{{- $root := .root -}}
{{- $s := .s -}}
{{- range $key, $port := merge (deepCopy $root.Values.ports) $s.listens }}
- name: {{ $key }}
  value: {{ printf "0.0.0.0:%v" $port | quote }}
{{- end }}
{{- range $s.calls }}
- name: {{ printf "%s_ADDR" (. | upper | replace "-" "_") }}
  value: {{ printf "%s-%s:%v" (include "tidemark.fullname" $root) . $root.Values.ports.GRPC_LISTEN | quote }}
{{- end }}
{{- range $key, $value := merge (deepCopy $s.config) $root.Values.config }}
{{- if and (eq $key "TIDEMARK_CATALOGUE") $root.Values.catalogue.configMap (kindIs "invalid" $value) }}
- name: {{ $key }}
  value: /etc/tidemark/catalogue.json
{{- else if and (eq $key "TIDEMARK_RELEASE") (kindIs "invalid" $value) }}
- name: {{ $key }}
  value: {{ include "tidemark.release" $root | quote }}
{{- else if not (kindIs "invalid" $value) }}
- name: {{ $key }}
  value: {{ include "tidemark.text" $value }}
{{- end }}
{{- end }}
{{- range $key, $from := $s.secrets }}
{{- if and (eq $key "BLOB_URL") $root.Values.blobs.claim }}
- name: {{ $key }}
  value: file:///blobs
{{- else }}
{{ include "tidemark.secretEnv" (dict "root" $root "key" $key "from" $from) }}
{{- end }}
{{- end }}
{{- if and (hasKey $s.secrets "BLOB_URL") (not $root.Values.blobs.claim) }}
{{- range list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
{{ include "tidemark.secretEnv" (dict "root" $root "key" . "from" (dict "optional" true)) }}
{{- end }}
{{- end }}
{{- with $root.Values.telemetry.endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- with $s.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Why every pod passes the restricted Pod Security Standard. */}}
{{- define "tidemark.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .root.Values.podSecurity.runAsUser }}
runAsGroup: {{ .root.Values.podSecurity.runAsGroup }}
fsGroup: {{ .root.Values.podSecurity.fsGroup }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  {{- toYaml .seccompProfile | nindent 2 }}
{{- end -}}

{{- define "tidemark.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "tidemark.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
{{ omit . "path" | toYaml }}
{{- end -}}

{{/* A port's name by the setting that says where it listens: GRPC_LISTEN is grpc; LISTEN, the REST interface, is rest. */}}
{{- define "tidemark.portName" -}}
{{- . | trimSuffix "LISTEN" | trimSuffix "_" | lower | replace "_" "-" | default "rest" -}}
{{- end -}}
