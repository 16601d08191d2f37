//! The compiler of kernels, a library that is loaded when it is needed.
//!
//! It comes with the toolkit or with a Python package, never with the driver. So it is looked for
//! by its names, in the directories of the toolkit, and beside the packages of PyTorch.

use std::{
    ffi::{CString, c_char, c_int, c_void},
    fs,
    path::{Path, PathBuf},
};

use libloading::Library;

use crate::error::Error;

/// The names of the library, the newest first.
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Get = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;

/// The loaded compiler.
#[derive(Debug)]
pub struct Nvrtc {
    library: Library,
    _builtins: Vec<Library>,
    path: PathBuf,
    version: (i32, i32),
}

impl Nvrtc {
    /// Loads the compiler, from one of these directories or from where it usually is.
    pub fn load(directories: &[PathBuf]) -> Result<Nvrtc, Error> {
        let files = |directory: &PathBuf| NAMES.map(|name| directory.join(name));
        let mut tried: Vec<PathBuf> = directories.iter().flat_map(files).collect();
        tried.extend(NAMES.map(PathBuf::from));
        tried.extend(usual_directories().iter().flat_map(files));
        for path in &tried {
            if path.is_absolute() && !path.exists() {
                continue;
            }
            let builtins = load_builtins(path);
            // SAFETY: the library of this name runs nothing but its own start.
            if let Ok(library) = unsafe { Library::new(path) }
                && let Some(version) = version(&library)
            {
                return Ok(Nvrtc { library, _builtins: builtins, path: path.clone(), version });
            }
        }
        let names: Vec<String> = tried.iter().map(|path| path.display().to_string()).collect();
        Err(Error::NoNvrtc { tried: names.join(", ") })
    }

    /// Where it was found.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version.
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// Compiles a text for devices of this compute capability: machine code, or text for the
    /// driver where the compiler is older than the device.
    pub fn compile(&self, text: &str, capability: (i32, i32)) -> Result<Vec<u8>, Error> {
        let asked = 10 * capability.0 + capability.1;
        let known = self.architectures()?;
        let newest = known.iter().copied().filter(|&known| known <= asked).max();
        let newest = newest.ok_or_else(|| Error::TooOld {
            what: "CUDA device",
            found: format!("{}.{}", capability.0, capability.1),
            needed: "a version that the compiler libnvrtc knows",
        })?;
        let (target, image) = if newest == asked {
            (format!("--gpu-architecture=sm_{asked}"), ("nvrtcGetCUBINSize", "nvrtcGetCUBIN"))
        } else {
            (format!("--gpu-architecture=compute_{newest}"), ("nvrtcGetPTXSize", "nvrtcGetPTX"))
        };
        let program = self.create(text)?;
        let mut options = vec![target.as_str(), "--std=c++17", "--fmad=false"];
        // On all cores, which halves the time. Older compilers may not know the option.
        if self.version >= (13, 0) {
            options.push("--split-compile=0");
        }
        let compiled = self.run(program, &options);
        let image = match compiled {
            0 => self.bytes(program, image.0, image.1),
            code => {
                let log = self.bytes(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?;
                let log = String::from_utf8_lossy(&log).trim_matches(['\0', '\n']).to_owned();
                Err(self.error(format!("error {code}\n{log}")))
            }
        };
        let destroy: Destroy = self.function("nvrtcDestroyProgram")?;
        let mut program = program;
        // SAFETY: made by `create`, and not used any more.
        unsafe { destroy(&raw mut program) };
        image
    }

    fn create(&self, text: &str) -> Result<Program, Error> {
        let create: Create = self.function("nvrtcCreateProgram")?;
        let text = CString::new(text).map_err(|_| self.error("a zero in the text".to_owned()))?;
        let mut program: Program = std::ptr::null_mut();
        let (name, none) = (c"fourchess.cu", std::ptr::null());
        // SAFETY: the texts are copied; the program is written.
        let code = unsafe { create(&raw mut program, text.as_ptr(), name.as_ptr(), 0, none, none) };
        if code == 0 { Ok(program) } else { Err(self.error(format!("error {code}"))) }
    }

    fn run(&self, program: Program, options: &[&str]) -> c_int {
        let Ok(compile) = self.function::<Compile>("nvrtcCompileProgram") else { return -1 };
        let options: Vec<CString> =
            options.iter().map(|option| CString::new(*option).expect("plain options")).collect();
        let places: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive, and so are the options.
        unsafe { compile(program, places.len() as c_int, places.as_ptr()) }
    }

    fn bytes(&self, program: Program, size: &str, get: &str) -> Result<Vec<u8>, Error> {
        let (size, get): (Size, Get) = (self.function(size)?, self.function(get)?);
        let mut count = 0;
        // SAFETY: the program is alive.
        let code = unsafe { size(program, &raw mut count) };
        // One more, so that text ends with a zero in any case.
        let mut bytes = vec![0; count + 1];
        let code = match code {
            // SAFETY: there is room for as many bytes as the compiler has just said.
            0 => unsafe { get(program, bytes.as_mut_ptr().cast()) },
            code => code,
        };
        if code == 0 { Ok(bytes) } else { Err(self.error(format!("error {code}"))) }
    }

    /// The compute capabilities that it can compile for.
    fn architectures(&self) -> Result<Vec<i32>, Error> {
        let count: Count = self.function("nvrtcGetNumSupportedArchs")?;
        let list: Count = self.function("nvrtcGetSupportedArchs")?;
        let mut number = 0;
        // SAFETY: one number is written.
        let code = unsafe { count(&raw mut number) };
        let mut all = vec![0; number.max(0) as usize];
        let code = match code {
            // SAFETY: there is room for as many as the compiler has just said.
            0 => unsafe { list(all.as_mut_ptr()) },
            code => code,
        };
        if code == 0 { Ok(all) } else { Err(self.error(format!("error {code}"))) }
    }

    fn function<T: Copy>(&self, name: &str) -> Result<T, Error> {
        // SAFETY: the types above are those of the library's documentation.
        match unsafe { self.library.get::<T>(name.as_bytes()) } {
            Ok(function) => Ok(*function),
            Err(cause) => Err(self.error(cause.to_string())),
        }
    }

    fn error(&self, log: String) -> Error {
        Error::Compile { compiler: self.path.clone(), log }
    }
}

/// The compiler looks for its second library by name alone, which finds one that is loaded already.
fn load_builtins(path: &Path) -> Vec<Library> {
    let directory = path.parent().filter(|directory| directory.is_absolute());
    let is_builtins = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libnvrtc-builtins.so")
    };
    let entries = directory.map(fs::read_dir).into_iter().flatten().flatten().flatten();
    let paths = entries.map(|entry| entry.path()).filter(is_builtins);
    // SAFETY: as for the library itself.
    paths.filter_map(|path| unsafe { Library::new(path) }.ok()).collect()
}

fn version(library: &Library) -> Option<(i32, i32)> {
    // SAFETY: the type is that of the library's documentation.
    let version = unsafe { library.get::<Version>(c"nvrtcVersion".to_bytes_with_nul()) }.ok()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: two numbers are written.
    (unsafe { version(&raw mut major, &raw mut minor) } == 0).then_some((major, minor))
}

/// The directories of toolkits and of Python packages.
fn usual_directories() -> Vec<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let mut toolkits: Vec<PathBuf> =
        ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable).collect();
    toolkits.push(PathBuf::from("/usr/local/cuda"));
    let mut found: Vec<PathBuf> = toolkits.iter().map(|toolkit| toolkit.join("lib64")).collect();
    let mut pythons: Vec<PathBuf> = variable("VIRTUAL_ENV").into_iter().collect();
    for directory in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        if directory.join("python3").exists()
            && let Some(prefix) = directory.parent()
        {
            pythons.push(prefix.to_owned());
        }
    }
    pythons.dedup();
    for prefix in pythons {
        found.extend(package_directories(&prefix.join("lib")));
    }
    found
}

/// `python3.*/site-packages/nvidia/{cu13,cuda_nvrtc}/lib` below a directory.
fn package_directories(libraries: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(libraries).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("python3") {
            for package in ["cu13", "cuda_nvrtc"] {
                found.push(entry.path().join("site-packages/nvidia").join(package).join("lib"));
            }
        }
    }
    found.sort();
    found
}
