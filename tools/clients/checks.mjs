// Counts what was checked.
export let checks = 0;

export async function check(what, body) {
  await body();
  checks++;
  console.log(`ok  ${what}`);
}
