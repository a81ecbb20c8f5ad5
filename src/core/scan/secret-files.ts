/** Files that hold secrets by their name: they are never read for completions, whatever stands in them. */

const NAMES: readonly RegExp[] = [
  /^\.env(\..+)?$|\.env$/i,
  /^\.(npmrc|yarnrc(\.yml)?|pypirc|netrc|htpasswd|pgpass|git-credentials|my\.cnf|dockercfg)$/i,
  /^_netrc$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)/i,
  /\.(pem|key|p8|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|ovpn|tfvars|tfstate|age)$/i,
  /^(aws|gcloud)?[._-]?credentials(\..*)?$/i,
  /^\.?secrets?(\.(json|jsonc|ya?ml|toml|txt|ini|properties))?$/i,
  /^service[-_]account.*\.json$/i,
];
const SAMPLE = /\.(example|sample|template|dist)$/i;
/** Folders in which every file is one. */
const FOLDERS = /(^|\/)\.(ssh|aws|gnupg|kube)\//i;

/** Whether a path (with forward slashes) names such a file. Samples that are meant to be read are none. */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (FOLDERS.test(path)) return true;
  return !SAMPLE.test(name) && NAMES.some((pattern) => pattern.test(name));
}
