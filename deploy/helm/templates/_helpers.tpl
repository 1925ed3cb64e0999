{{- define "forgewatch.name" -}}
{{- if contains "forgewatch" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-forgewatch" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "forgewatch.selector" -}}
app.kubernetes.io/name: forgewatch
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "forgewatch.labels" -}}
{{ include "forgewatch.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "forgewatch.pod" -}}
automountServiceAccountToken: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
# Nothing is kept in a pod: the database is outside, and the key is a setting.
volumes:
  - { name: data, emptyDir: {} }
  - { name: tmp, emptyDir: {} }
{{- end }}

{{- define "forgewatch.container" -}}
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef: { name: {{ required "existingSecret names the Secret with DATABASE_URL and ENCRYPTION_KEY" .root.Values.existingSecret }} }
env:
  - { name: PUBLIC_URL, value: {{ required "publicUrl is the address of the web app" .root.Values.publicUrl | quote }} }
  - { name: METRICS_HOST, value: 0.0.0.0 }
  - { name: METRICS_PORT, value: "9464" }
  {{- with .root.Values.trustedProxies }}
  - { name: TRUSTED_PROXIES, value: {{ . | quote }} }
  {{- end }}
  {{- range $name, $value := .root.Values.settings }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}
