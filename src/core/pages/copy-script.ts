/**
 * What the copy buttons do. They are hidden until it runs, so nobody without script meets a
 * button that does nothing. On plain http a browser has no clipboard for pages; there the text
 * is selected and copied as by hand, or stays selected for the reader to copy.
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
