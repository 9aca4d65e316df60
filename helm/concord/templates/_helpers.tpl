{{- define "concord.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/*
The name of the release, with the chart's behind it where it isn't in it already. A release that has its name from a
chart that always put both keeps it: under another its Service would have another address.
*/}}
{{- define "concord.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ tpl .Values.fullnameOverride . | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{- $name := include "concord.name" . -}}
{{- $both := printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- if or (not (contains $name .Release.Name)) (include "concord.isThere" (list . $both)) -}}
{{ $both }}
{{- else -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{/* Says so where a release that is upgraded has a Deployment of this name. */}}
{{- define "concord.isThere" -}}
{{- $release := (index . 0).Release -}}
{{- if $release.IsUpgrade -}}
{{- $there := lookup "apps/v1" "Deployment" $release.Namespace (index . 1) | default dict -}}
{{- if eq $release.Name (dig "metadata" "annotations" "meta.helm.sh/release-name" "" $there) -}}
yes
{{- end }}
{{- end }}
{{- end }}

{{- define "concord.selector" -}}
app.kubernetes.io/name: {{ include "concord.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "concord.labels" -}}
{{ include "concord.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "concord.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "concord.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "concord.image" -}}
{{- if .Values.image.digest -}}
{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else -}}
{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* What the ports of the pods speak: https where there is a certificate, from here or from a volume of one's own. */}}
{{- define "concord.scheme" -}}
{{ ternary "https" "http" (or (ne .Values.tls.secretName "") (hasKey .Values.config "TLS_CERT_FILE")) }}
{{- end }}

{{/* Where callers reach Concord, for the agent card. */}}
{{- define "concord.publicUrl" -}}
{{- if and .Values.ingress.enabled .Values.ingress.hosts -}}
{{ printf "%s://%s" (ternary "https" "http" (gt (len .Values.ingress.tls) 0)) (first .Values.ingress.hosts) }}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames -}}
{{ printf "https://%s" (first .Values.httpRoute.hostnames) }}
{{- else -}}
{{ printf "%s://%s.%s.svc:%d" (include "concord.scheme" .) (include "concord.fullname" .) .Release.Namespace (int .Values.service.port) }}
{{- end }}
{{- end }}

{{- define "concord.grpcAddress" -}}
{{- if and .Values.grpcRoute.enabled .Values.grpcRoute.hostnames -}}
{{ printf "%s:443" (first .Values.grpcRoute.hostnames) }}
{{- else -}}
{{ printf "%s.%s.svc:%d" (include "concord.fullname" .) .Release.Namespace (int .Values.service.grpcPort) }}
{{- end }}
{{- end }}

{{/* The settings that aren't secret, as JSON: what the chart makes of its values, and before it `config`. */}}
{{- define "concord.settings" -}}
{{- $own := dict "HOST" "0.0.0.0" "PORT" 4000 "OPERATIONS_PORT" 4002 -}}
{{- $_ := set $own "PUBLIC_URL" (include "concord.publicUrl" .) -}}
{{- $_ := set $own "DRAIN_DELAY_MS" (mul 1000 (int .Values.drainSeconds)) -}}
{{- if .Values.grpc.enabled -}}
{{- $_ := set $own "GRPC_PORT" 4001 -}}
{{- $_ := set $own "GRPC_PUBLIC_ADDRESS" (include "concord.grpcAddress" .) -}}
{{- end -}}
{{- $_ := set $own "NEO4J_DATABASE" .Values.neo4j.database -}}
{{- if .Values.neo4j.uri -}}
{{- $_ := set $own "NEO4J_URI" (tpl .Values.neo4j.uri .) -}}
{{- end -}}
{{- with .Values.neo4j.reader.user -}}
{{- $_ := set $own "NEO4J_READER_USER" . -}}
{{- end -}}
{{- if or .Values.vocabulary.sdl .Values.vocabulary.existingConfigMap -}}
{{- $_ := set $own "VOCABULARY" "/etc/concord/vocabulary/vocabulary.graphql" -}}
{{- end -}}
{{- if or .Values.rules.files .Values.rules.existingConfigMap -}}
{{- $_ := set $own "RULES" "/etc/concord/rules" -}}
{{- end -}}
{{- if or .Values.policy.json .Values.policy.existingConfigMap -}}
{{- $_ := set $own "POLICY" "/etc/concord/policy/policy.json" -}}
{{- end -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $own "TLS_CERT_FILE" "/etc/concord/tls/tls.crt" -}}
{{- $_ := set $own "TLS_KEY_FILE" "/etc/concord/tls/tls.key" -}}
{{- end -}}
{{- range $name, $_ref := .Values.secretFiles -}}
{{- /* The public key isn't secret, and its setting takes a file itself. */ -}}
{{- $setting := ternary $name (printf "%s_FILE" $name) (eq $name "JWT_PUBLIC_KEY") -}}
{{- $_ := set $own $setting (printf "/etc/concord/secret-files/%s/value" $name) -}}
{{- end -}}
{{- toJson (merge (deepCopy .Values.config) $own) -}}
{{- end }}

{{/* The secret settings, as JSON: name and key by setting. `secrets` goes before `neo4j`. */}}
{{- define "concord.secrets" -}}
{{- $own := dict -}}
{{- with .Values.neo4j.existingSecret -}}
{{- $secret := tpl . $ -}}
{{- $_ := set $own "NEO4J_PASSWORD" (dict "name" $secret "key" $.Values.neo4j.passwordKey) -}}
{{- if $.Values.neo4j.userKey -}}
{{- $_ := set $own "NEO4J_USER" (dict "name" $secret "key" $.Values.neo4j.userKey) -}}
{{- end -}}
{{- end -}}
{{- with .Values.neo4j.reader.existingSecret -}}
{{- $_ := set $own "NEO4J_READER_PASSWORD" (dict "name" (tpl . $) "key" $.Values.neo4j.reader.passwordKey) -}}
{{- end -}}
{{- toJson (merge (deepCopy .Values.secrets) $own) -}}
{{- end }}

{{/* What the schema can't say: what would only be found out by pods that don't start. */}}
{{- define "concord.check" -}}
{{- $settings := include "concord.settings" . | fromYaml -}}
{{- $secrets := include "concord.secrets" . | fromYaml -}}
{{- if not $settings.NEO4J_URI -}}
{{- fail "neo4j.uri is needed: neo4j://HOST:7687 of your Neo4j" -}}
{{- end -}}
{{- range $name, $_ref := $secrets -}}
{{- if or (hasKey $settings $name) (hasKey $settings (printf "%s_FILE" $name)) -}}
{{- fail (printf "%s is given twice: as a secret and as a setting or a file" $name) -}}
{{- end -}}
{{- end -}}
{{- $keys := eq (toString (default false $settings.API_KEYS)) "true" -}}
{{- $tokens := or $secrets.JWT_SECRET $settings.JWT_SECRET_FILE $secrets.JWT_PUBLIC_KEY $settings.JWT_PUBLIC_KEY $settings.JWT_JWKS_URL -}}
{{- if not (or $keys $tokens) -}}
{{- fail "Identities are needed: config.API_KEYS: true, or tokens (config.JWT_JWKS_URL, secrets.JWT_SECRET, secretFiles.JWT_PUBLIC_KEY)" -}}
{{- end -}}
{{- if and .Values.grpcRoute.enabled (not .Values.grpc.enabled) -}}
{{- fail "grpcRoute.enabled needs grpc.enabled" -}}
{{- end -}}
{{- $stopping := div (add (int $settings.DRAIN_DELAY_MS) (mul 2 (int (default 10000 $settings.SHUTDOWN_MS)))) 1000 -}}
{{- if le (int .Values.terminationGracePeriodSeconds) (int $stopping) -}}
{{- fail (printf "terminationGracePeriodSeconds must be more than %d: drainSeconds and two SHUTDOWN_MS" (int $stopping)) -}}
{{- end -}}
{{- end }}

{{/* The environment of a container of Concord. */}}
{{- define "concord.env" -}}
{{- range $name, $value := include "concord.settings" . | fromYaml }}
- name: {{ $name }}
  value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
{{- end }}
{{- range $name, $reference := include "concord.secrets" . | fromYaml }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $reference.name }}
      key: {{ $reference.key }}
{{- end }}
{{- with .Values.nodeOptions }}
- name: NODE_OPTIONS
  value: {{ . | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
