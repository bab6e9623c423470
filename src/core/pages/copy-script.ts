/**
 * The script of the copy buttons, which are hidden without it. On plain http, where pages have no
 * clipboard API, it selects the text and tries the copy command of the browser.
 */
export const COPY_SCRIPT = `
const said = document.getElementById('said');
let quiet;
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return document.execCommand('copy');
  }
}
for (const button of document.querySelectorAll('.copy')) {
  const label = button.firstElementChild;
  const before = label.textContent;
  let timer;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const isCopied = await copy(button.closest('.snippet').querySelector('code'));
    label.textContent = isCopied ? 'Copied' : 'Selected';
    said.textContent = isCopied ? 'Copied.' : 'Selected. Copy it with the keyboard.';
    clearTimeout(timer);
    timer = setTimeout(() => { label.textContent = before; }, 2500);
    clearTimeout(quiet);
    quiet = setTimeout(() => { said.textContent = ''; }, 2500);
  });
}
`;
