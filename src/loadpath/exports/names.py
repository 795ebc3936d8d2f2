"""Names of exported functions, and those that a function in C cannot have, because they are words of C or C++ or taken
by the C library.

What is refused, whatever the compiler and its version:

- words of C (C89 to C23) and C++, also those of GNU, and macros that compilers have from the beginning (`linux`);
- everything of <math.h>, <complex.h> and <tgmath.h>, with POSIX and GNU (`j1`, `gamma`, `M_PI`), for all types;
- functions of the C library that compilers know without a header (`abs`, `printf`, `index`), and common ones of POSIX;
- what C and POSIX reserve: names that begin with an underscore, end in `_t`, or have two underscores in a row.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from loadpath._version import __version__
from loadpath.algorithms.loops.status import Status
from loadpath.engine.program import Operand, Program
from loadpath.engine.trace import count
from loadpath.exports.request import Request


def names(text: str) -> frozenset[str]:
    """Names that stand in a text."""
    return frozenset(text.split())


_WORDS = names(
    # C
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual complex "
    "imaginary noreturn main offsetof NULL TRUE FALSE assert errno "
    # GNU, and macros that are there from the beginning
    "asm fortran near far huge linux unix i386 mips sun vax hpux sparc WIN32 WINNT "
    # C++
    "and and_eq atomic_cancel atomic_commit atomic_noexcept bitand bitor catch char8_t char16_t char32_t class "
    "co_await co_return co_yield compl concept const_cast consteval constinit decltype delete dynamic_cast explicit "
    "export final friend import module mutable namespace new noexcept not not_eq operator or or_eq override private "
    "protected public reflexpr reinterpret_cast requires static_cast synchronized template this throw "
    "transaction_safe transaction_safe_dynamic try typeid typename using virtual wchar_t xor xor_eq std "
)

_MATH = names(
    "acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi canonicalize cbrt ceil compoundn copysign "
    "cos cosh cospi drem erf erfc exp exp10 exp10m1 exp2 exp2m1 expm1 fabs fdim finite floor fma fmax fmaximum "
    "fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num "
    "fminmag fmod fpclassify frexp fromfp fromfpx gamma getpayload hypot ilogb infnan iscanonical iseqsig isfinite "
    "isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal issignaling issubnormal "
    "isunordered iszero j0 j1 jn ldexp lgamma llogb llquantexp llrint llround log log10 log10p1 log1p log2 log2p1 "
    "logb logp1 lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow pow10 pown powr quantize "
    "quantum remainder remquo rint rootn round roundeven rsqrt samequantum scalb scalbln scalbn setpayload "
    "setpayloadsig signbit significand sin sincos sinh sinpi sqrt tan tanh tanpi tgamma totalorder totalordermag "
    "trunc ufromfp ufromfpx y0 y1 yn signgam matherr math_errhandling exception cabs cacos cacosh cacospi carg "
    "casin casinh casinpi catan catanh catanpi ccompoundn ccos ccosh ccospi cerf cerfc cexp cexp10 cexp10m1 cexp2 "
    "cexp2m1 cexpm1 cimag clgamma clog clog10 clog10p1 clog1p clog2 clog2p1 clogp1 conj cpow cpown cpowr cproj "
    "creal crootn crsqrt csin csinh csinpi csqrt ctan ctanh ctanpi ctgamma "
)
_OF_A_TYPE = re.compile(r"(f|l|f16|f32|f64|f128|f16x|f32x|f64x|f128x|bf16|d32|d64|d128)?(_r)?")
_NARROWING = re.compile(r"(f|d|(f|d)(16|32|64|128)x?)(add|sub|mul|div|fma|sqrt)(l|(f|d)(16|32|64|128)x?)?")
_MACROS = re.compile(
    r"M_[A-Z0-9_]+(f|l|f16|f32x?|f64x?|f128)?|(FP|MATH|FLT|DBL|LDBL|DEC|INT|UINT|CHAR|SCHAR|UCHAR|SHRT|USHRT|LONG|ULONG|"
    r"LLONG|ULLONG|SIG|CMPLX|SNAN|HUGE|EXIT)(_?[A-Z0-9_]+)?|NAN|INFINITY|MAXFLOAT|DOMAIN|SING|OVERFLOW|UNDERFLOW|PLOSS|"
    r"TLOSS|X_TLOSS|I|E[A-Z0-9]+|EOF|BUFSIZ|RAND_MAX|PTRDIFF_MAX|SIZE_MAX|WCHAR_MAX"
)

_LIBRARY = names(
    "abort abs accept access acosd alarm aligned_alloc alloca asctime at_quick_exit atexit atof atoi atol atoll "
    "basename bcmp bcopy bind brk bsearch btowc bzero call_once calloc cbrt chdir chmod chown clearerr clock close "
    "closedir connect creat ctime daemon difftime dirname div dup dup2 errx execl execle execlp execv execve execvp "
    "exit ffs ffsl ffsll fclose fdopen feof feraiseexcept feclearexcept fegetenv fegetround feholdexcept fesetenv "
    "fesetround fetestexcept feupdateenv ferror fflush fgetc fgetpos fgets fgetwc fgetws fileno fopen fork fprintf "
    "fprintf_unlocked fputc fputc_unlocked fputs fputs_unlocked fputwc fputws fread free freopen fscanf fseek "
    "fsetpos fstat ftell ftruncate fwide fwprintf fwrite fwrite_unlocked fwscanf getc getchar getcwd getenv getgid "
    "getopt getpid getppid gets gettext dgettext dcgettext getuid getw getwc getwchar gmtime imaxabs imaxdiv index "
    "ioctl isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper iswalnum "
    "iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit "
    "isxdigit kill labs ldiv link listen llabs lldiv localeconv localtime longjmp lseek malloc mblen mbrlen mbrtowc "
    "mbsinit mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp memcpy memmem memmove mempcpy memset memset_explicit "
    "mkdir mkfifo mkstemp mktemp mktime mmap mprotect munmap nanosleep nice open opendir optarg optind opterr "
    "optopt pause perror pipe poll posix_memalign pread printf printf_unlocked putc putc_unlocked putchar "
    "putchar_unlocked puts puts_unlocked putw putwc putwchar pwrite qsort quick_exit raise rand random read readdir "
    "realloc recv remove rename rewind rindex rmdir sbrk scanf select send setbuf setenv setjmp setlocale setvbuf "
    "sigaction signal sleep snprintf socket sprintf srand srandom sscanf stat stderr stdin stdout stpcpy stpncpy "
    "strcasecmp strcat strchr strcmp strcoll strcpy strcspn strdup strerror strfmon strfromd strfromf strfroml "
    "strftime strlcat strlcpy strlen strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep "
    "strsignal strspn strstr strtod strtof strtoimax strtok strtol strtold strtoll strtoul strtoull strtoumax "
    "strxfrm swab swprintf swscanf symlink sync sysconf system tempnam time timespec_get timezone tmpfile tmpnam "
    "toascii tolower toupper towctrans towlower towupper truncate tss_create tss_delete tss_get tss_set ttyname "
    "tzname tzset umask uname ungetc ungetwc unlink unsetenv usleep vfork vfprintf vfscanf vfwprintf vfwscanf "
    "vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wait waitpid wcrtomb wcscat "
    "wcschr wcscmp wcscoll wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr wcsrtombs wcsspn "
    "wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob "
    "wctomb wctrans wctype wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf write wscanf environ thrd_create "
    "thrd_join thrd_exit thrd_sleep thrd_yield mtx_init mtx_lock mtx_unlock mtx_destroy cnd_init cnd_wait "
    "cnd_signal cnd_destroy "
)


def taken(name: str) -> bool:
    """Whether a name means something else in C or C++, or is reserved there.

    >>> [name for name in ("round", "log2f", "j1", "NAN", "M_PI", "asm", "double_t", "_x", "a__b", "hold", "torque")
    ...  if not taken(name)]
    ['hold', 'torque']
    """
    if name in _WORDS or name in _LIBRARY or _MACROS.fullmatch(name) or _NARROWING.fullmatch(name):
        return True
    if name.startswith("_") or name.endswith("_t") or "__" in name:
        return True
    return any(_OF_A_TYPE.fullmatch(name, len(stem)) for stem in _stems(name))


def _stems(name: str) -> list[str]:
    """The functions of <math.h> that a name begins with."""
    return [name[:k] for k in range(2, len(name) + 1) if name[:k] in _MATH]


def default_name(request: Request) -> str:
    """A name after the robot, the quantity, its link and its choices; it may begin with a digit, or be taken.

    >>> import loadpath as lp
    >>> from loadpath.exports.request import request
    >>> default_name(request(lp.catalog.two_link(), "jacobian"))
    'two_link_jacobian_tip'
    """
    parts = [request.robot.name, request.name, *([request.variant.link] if request.variant.link else [])]
    parts += [str(value) for _, value in request.variant.choices]
    return re.sub(r"[\W_]+", "_", "_".join(parts), flags=re.ASCII).strip("_")


def check_name(given: object) -> None:
    """Refuse what is no name in any language."""
    if not isinstance(given, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", given, flags=re.ASCII):
        raise ValueError(f"function_name is {given!r}: expected letters, digits and underscores, a letter first")


# The comment above exported source: what the function computes, of which robot, and how its arrays are laid out.


_WIDTH = 110


def comment_safe(text: str) -> str:
    """Text that cannot end the comment it stands in, begin another, be something else to a preprocessor, or end the
    script of a page that the source is put into.

    >>> comment_safe("arm */ int x; /* ??/ \\\\ \\n")
    'arm * / int x; / * ? ?/ <U+005C> <U+000A>'
    """
    text = re.sub(r"[^ -\[\]-~]", lambda found: f"<U+{ord(found.group()):04X}>", text)
    text = text.replace("</", "< /").replace("<!", "< !")
    return text.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").replace("??", "? ?")


def comment(request: Request, program: Program, results: str, language: str) -> str:
    """The whole comment; nothing in it depends on when or where it is made. `results` are the words above them,
    `language` those on how the source is used.
    """
    robot, variant = request.robot, request.variant
    inputs, outputs = request.quantity.signature.split("->")
    lines = [f"{request.name} of the robot '{robot.name}'", ""]
    if variant.link is not None:
        lines[0] += f", link '{variant.link}'"
    for key, value in variant.choices:
        lines[0] += f", {key} {value!r}"
    lines += [_description(request), "", "Arguments:"]
    lines += [_told(operand) for operand in program.inputs]
    lines += [f"{results}:"]
    lines += [_told(operand) for operand in program.outputs]
    lines += ["", "Arrays are in C order: the last index runs fastest. SI units, angles in radians."]
    given = {parameter.operand.name: parameter.description for parameter in request.parameters}
    if "gravity" not in given:
        lines.append(f"Gravity (m/s^2, world axes): {', '.join(f'{g:g}' for g in robot.gravity)}.")
    lines += [f"Argument {name}: {description}." for name, description in given.items()]
    if "q" in inputs or "x" in inputs:
        slices = (f"{_range(at)} {name}" for name, at in robot.q_slices.items() if robot.joint(name).mimic is None)
        lines.append(_listed("Coordinates q (a quaternion is x, y, z, w)", slices))
    lines.append(_listed("Speeds", (f"{k} {name}" for k, name in enumerate(robot.dof_names))))
    if "j" in outputs:
        lines.append(_listed("Joints", (f"{k} {name}" for k, name in enumerate(robot.joint_names))))
    if "w" in outputs:
        lines.append(_listed("Joints, then loops", (f"{k} {name}" for k, name in enumerate(robot.closed_joint_names))))
    if "(c" in outputs:
        lines.append(_listed("Loops, then couplings", (f"{k} {name}" for k, name in enumerate(robot.closing_names))))
    if request.has_status:
        entries = (f"{k} {name}" for k, name in enumerate(Status._fields))
        lines.append(_listed("Status: how far the loops are open (m, rad), speed and acceleration that they forbid, "
                             "each with its scale, and the pivot (1 good, 0 at a dead point)", entries))
    if "l" in outputs or "p" in outputs:
        lines.append(_listed("Links", (f"{k} {name}" for k, name in enumerate(robot.link_names))))
    if variant.external:
        wrenches = (
            f"{k} {link} ({'world' if world else 'link'} axes)" for k, (link, world) in enumerate(variant.external)
        )
        lines.append(_listed("External wrenches (force, then torque, at the link's origin) on", wrenches))
    lines += ["", f"{count(program)}. Made by loadpath {__version__}; {language}."]
    wrapped = [part for line in lines for part in _wrapped(line)]
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in wrapped), " */", ""])


def _description(request: Request) -> str:
    """The first paragraph of the quantity's documentation."""
    first = (request.quantity.__doc__ or "").split("\n\n", maxsplit=1)[0]
    return " ".join(first.split())


def _told(operand: Operand) -> str:
    return f"    {operand.name}{''.join(f'[{size}]' for size in operand.shape) or '[1]'}"


def _range(at: slice) -> str:
    return str(at.start) if at.stop == at.start + 1 else f"{at.start}-{at.stop - 1}"


def _listed(what: str, entries: Iterable[str]) -> str:
    return f"{what}: {', '.join(entries) or 'none'}."


def _wrapped(line: str) -> list[str]:
    safe = comment_safe(line)
    later = "    " if line.startswith("    ") else "  "
    return textwrap.wrap(safe, _WIDTH, subsequent_indent=later, break_on_hyphens=False) or [""]
