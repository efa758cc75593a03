// Runs and counts checks.
export let checks = 0;

export async function check(name, body) {
  await body();
  checks++;
  console.log(`ok  ${name}`);
}
