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

{{/* An image by its digest. Takes { root, name, image }: name is the last part of the repository. */}}
{{- define "tidemark.image" -}}
{{- $v := .root.Values.image -}}
{{- $repository := printf "%s/%s" $v.repository .name -}}
{{- if $v.registry }}{{ $repository = printf "%s/%s" $v.registry $repository }}{{ end -}}
{{- $repository = default $repository .image.repository -}}
{{- $digest := .image.digest | default (get $v.digests .name) -}}
{{- if $digest -}}
{{- printf "%s@%s" $repository $digest -}}
{{- else if $v.allowTags -}}
{{- printf "%s:%s" $repository (.image.tag | default $v.tag | default .root.Chart.AppVersion) -}}
{{- else -}}
{{- fail (printf "the image %s has no digest: set image.digests.%s to sha256:…, or image.allowTags to true to run whatever its tag names" $repository .name) -}}
{{- end -}}
{{- end -}}

{{/* What reads pages, by its image: a pod of another release reads them otherwise, though nothing else may have changed. */}}
{{- define "tidemark.release" -}}
{{- $scrape := include "tidemark.service" (dict "root" . "service" "scrape") | fromYaml -}}
{{- $scrape.image.digest | default .Values.image.digests.scrape | default $scrape.image.tag | default .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{- define "tidemark.noSecret" -}}
{{- printf "%s has no Secret: set existingSecret to a Secret with the passwords, keys and addresses of the stores (values.yaml shows how to make one), or secrets.%s to { name, key }" . . -}}
{{- end -}}

{{/* Every required setting that is read from Secrets, as YAML: { name of the Secret: [keys] }. */}}
{{- define "tidemark.secretKeys" -}}
{{- $root := . -}}
{{- $keys := dict -}}
{{- $all := list -}}
{{- range $service, $_ := .Values.services -}}
{{- $all = append $all ((include "tidemark.service" (dict "root" $root "service" $service) | fromYaml).secrets) -}}
{{- end -}}
{{- if .Values.migrations.enabled }}{{ $all = append $all .Values.migrations.secrets }}{{ end -}}
{{- range $all -}}
{{- range $key, $own := . -}}
{{- $from := mergeOverwrite (deepCopy (default dict (get $root.Values.secrets $key))) (default dict $own) -}}
{{- if not (or $from.optional (and (eq $key "BLOB_URL") $root.Values.blobs.claim)) -}}
{{- $name := required (include "tidemark.noSecret" $key) (default $root.Values.existingSecret $from.name) -}}
{{- $_ := set $keys $name (append (default list (get $keys $name)) (default $key $from.key) | uniq) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $keys -}}
{{- end -}}

{{/* One environment entry read from a Secret. Takes { root, key, from }. */}}
{{- define "tidemark.secretEnv" -}}
{{- $from := mergeOverwrite (deepCopy (default dict (get .root.Values.secrets .key))) (default dict .from) -}}
- name: {{ .key }}
  valueFrom:
    secretKeyRef:
      name: {{ required (include "tidemark.noSecret" .key) (default .root.Values.existingSecret $from.name) }}
      key: {{ default .key $from.key }}
      {{- if $from.optional }}
      optional: true
      {{- end }}
{{- end -}}

{{/* Ports of the services and the stores, which no page, message or feed is to reach. Buckets are on the web's own ports. */}}
{{- define "tidemark.ownPorts" -}}
{{- $ports := values .Values.ports -}}
{{- range $service, $_ := .Values.services -}}
{{- $ports = concat $ports (values (include "tidemark.service" (dict "root" $ "service" $service) | fromYaml).listens) -}}
{{- end -}}
{{- range $key, $store := omit .Values.networkPolicy.stores "BLOB_URL" -}}
{{- $ports = concat $ports $store.ports -}}
{{- end -}}
{{- $texts := list -}}
{{- range $ports }}{{ $texts = append $texts (toString .) }}{{ end -}}
{{- $texts | uniq | sortAlpha | join "," -}}
{{- end -}}

{{/* A setting as text: numbers as they were written, not as 1e+06. */}}
{{- define "tidemark.text" -}}
{{- if kindIs "string" . }}{{ . | quote }}{{ else }}{{ . | toJson | quote }}{{ end -}}
{{- end -}}

{{/* Services that reach the site and the receiver of the canary. */}}
{{- define "tidemark.canaryCallers" -}}
["delivery", "map", "scrape"]
{{- end -}}

{{/* Environment of a service. Takes { root, service, s }. */}}
{{- define "tidemark.env" -}}
{{- $root := .root -}}
{{- $service := .service -}}
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
{{- else if and (eq $key "TIDEMARK_EGRESS_ALLOW") $root.Values.canary.enabled (has $service (include "tidemark.canaryCallers" . | fromJsonArray)) }}
- name: {{ $key }}
  value: {{ list (default "" $value) (printf "%s-canary:%v" (include "tidemark.fullname" $root) $root.Values.canary.port) | compact | join "," | quote }}
{{- else if and (eq $key "TIDEMARK_OWN_PORTS") (kindIs "invalid" $value) }}
- name: {{ $key }}
  value: {{ include "tidemark.ownPorts" $root | quote }}
{{- else if not (kindIs "invalid" $value) }}
- name: {{ $key }}
  value: {{ include "tidemark.text" $value }}
{{- end }}
{{- end }}
{{- range $key, $from := $s.secrets }}
{{- if and (eq $key "BLOB_URL") $root.Values.blobs.claim }}
- name: {{ $key }}
  value: file:///blobs?layout=files
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
